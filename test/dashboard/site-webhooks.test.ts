import { afterEach, beforeEach, expect, test } from 'vitest'
import { PageNotFound } from '../../server/dashboard/page.ts'
import { sitePage } from '../../server/dashboard/pages/site.ts'
import { addOrganization, findInjected, hostileTexts, openPageVisits, type PageVisits } from './page-visit.ts'

let pages: PageVisits
let organizationId: string
let domain: string
beforeEach(async () => {
  pages = await openPageVisits()
  ;({ organizationId, domain } = await addOrganization(pages.store))
})
afterEach(() => pages.dispose())

const open = (options: object = {}) => ({ organizationId, params: { domain }, ...options })
const act = (action: string, form: Record<string, string>) => open({ action, form })
const url = 'https://ci.example.com/exports'
const add = (form: Record<string, string>) => act('add-webhook', { url, 'export.completed': 'on', ...form })
const list = async () => pages.store.webhooks.list(organizationId)

test('a webhook is added, its secret is shown once, and it can be deleted', async () => {
  expect((await pages.read(sitePage, open())).text).toContain('There are no webhooks for exports yet.')
  const { status, text } = await pages.read(sitePage, add({}))
  expect(status).toBe(200)
  const secret = /<code id="new-secret">(whsec_[^<]+)<\/code>/.exec(text)?.[1] ?? ''
  expect(secret).toMatch(/^whsec_[\w+/]{43}=$/)
  const [webhook] = await list()
  expect(webhook).toMatchObject({ url, events: ['export.completed'] })
  // The form sent again, such as by a reload.
  expect((await pages.read(sitePage, add({}))).text).toContain('This address gets events of exports already.')
  expect(await list()).toHaveLength(1)

  const shown = (await pages.read(sitePage, open())).text
  expect(shown).toContain(url)
  expect(shown).not.toContain('whsec_')
  expect(shown).toContain('aria-label="Delete the webhook https://ci.example.com/exports"')
  expect(shown).not.toContain('aria-label="Enable')

  const id = webhook?.id ?? ''
  const leadTo = `/projects/sites/${domain}`
  expect(await pages.visit(sitePage, act('delete-webhook', { id }))).toEqual({ leadTo, notice: 'webhook-deleted' })
  expect(await list()).toEqual([])
  expect(await pages.listAudited()).toEqual([`webhook.created ${id}`, `webhook.deleted ${id}`])
})

test('a webhook that was disabled can be enabled, and webhooks without events of exports are not listed', async () => {
  await pages.visit(sitePage, add({ 'export.failed': 'on' }))
  const [{ id } = { id: '' }] = await list()
  await pages.store.webhooks.disable(id, 'gone', 1)
  expect((await pages.read(sitePage, open())).text).toContain(`aria-label="Enable the webhook ${url}"`)
  await pages.visit(sitePage, act('enable-webhook', { id }))
  expect((await list())[0]?.disabledAt).toBeNull()
  expect((await pages.listAudited()).at(-1)).toBe(`webhook.changed ${id}`)

  const other = pages.deps.issueWebhook({
    organizationId,
    url: 'https://keys.example.com/',
    events: ['key.expiring'],
    createdAt: 1,
  })
  await pages.store.webhooks.insert(other.webhook, other.sealedSecret)
  const { text } = await pages.read(sitePage, open())
  expect(text).toContain(url)
  expect(text).not.toContain('keys.example.com')
})

test.each([
  ['no address', { url: '' }, 'url', 'must be an https URL'],
  ['a private address', { url: 'https://10.0.0.7/' }, 'url', 'is not a public address'],
  ['plain http', { url: 'http://hooks.example.com/' }, 'url', 'must begin with https://'],
])('%s is refused at its field, which gets the focus', async (_, form, field, problem) => {
  const { status, text } = await pages.read(sitePage, add({ ...form, 'export.failed': 'on' }))
  expect(status).toBe(400)
  expect(text.match(/class="problem"/g)).toHaveLength(1)
  expect(text).toContain(`id="problem-${field}">Address ${problem}`)
  expect(text).toMatch(/name="url" value="[^"]*"[^>]* aria-invalid="true" autofocus/)
  expect(await list()).toEqual([])
})

test('without an event, the form keeps the address', async () => {
  const { status, text } = await pages.read(sitePage, act('add-webhook', { url }))
  expect(status).toBe(400)
  expect(text).toContain('>Choose at least one.<')
  expect(text).toContain(`value="${url}"`)
  expect(text).toContain('name="export.completed" aria-invalid="true" autofocus')
})

test('a webhook of another organization does not exist', async () => {
  const other = await addOrganization(pages.store)
  await pages.visit(sitePage, { ...add({}), organizationId: other.organizationId, params: { domain: other.domain } })
  const [{ id } = { id: '' }] = await pages.store.webhooks.list(other.organizationId)
  for (const action of ['delete-webhook', 'enable-webhook']) {
    await expect(pages.visit(sitePage, act(action, { id }))).rejects.toThrow(PageNotFound)
  }
  expect((await pages.read(sitePage, open())).text).not.toContain(url)
})

test('no text in a field becomes an element or a script', async () => {
  for (const hostile of hostileTexts) {
    for (const form of [{ url: hostile }, { url: `https://hooks.example.com/${hostile}` }]) {
      expect(findInjected((await pages.read(sitePage, add(form))).text).faults).toEqual([])
    }
    expect(findInjected((await pages.read(sitePage, open())).text).faults).toEqual([])
  }
})
