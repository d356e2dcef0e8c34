import { afterEach, beforeEach, expect, test } from 'vitest'
import { keysPage } from '../../server/dashboard/pages/keys.ts'
import type { ApiKey } from '../../server/tenancy/api-key.ts'
import { addOrganization, openPageVisits, type PageVisits } from './page-visit.ts'

const dayMs = 86_400_000

let pages: PageVisits
let organizationId: string
let projectId: string
beforeEach(async () => {
  pages = await openPageVisits()
  ;({ organizationId, projectId } = await addOrganization(pages.store))
})
afterEach(() => pages.dispose())

const generate = (form: Record<string, string>) =>
  pages.read(keysPage, { organizationId, action: 'generate', form: { name: 'ci', expiry: '90', ...form } })
const listKeys = () => pages.store.apiKeys.list(organizationId)

/** Reads the form as a browser would send it if nobody changed it. */
async function readForm(query = '') {
  const { text } = await pages.read(keysPage, { organizationId, query })
  return {
    ticked: [...text.matchAll(/type="checkbox" name="(\w+)" checked/g)].map(([, name]) => name),
    expiry: /<option value="(\d*)" selected/.exec(text)?.[1],
    lines: [...text.matchAll(/<textarea[^>]+>([^<]*)</g)].map(([, lines]) => lines),
    isUnfolded: text.includes('<details open><summary>Limit'),
  }
}

test('a new key may only read, from everywhere and for 90 days, unless something else is chosen', async () => {
  expect(await readForm()).toEqual({ ticked: ['read'], expiry: '90', lines: ['', ''], isUnfolded: false })
})

test.each([
  ['90', 90],
  ['365', 365],
  ['', null],
])('a key with the expiry %j lives for days: %j', async (expiry, days) => {
  expect((await generate({ read: 'on', expiry })).status).toBe(200)
  const [key] = (await listKeys()) as [ApiKey]
  expect(key.expiresAt === null ? null : (key.expiresAt - key.createdAt) / dayMs).toBe(days)
})

test('the page of a new key names its scopes and when it expires', async () => {
  const { text } = await generate({ read: 'on', write: 'on' })
  expect(text).toMatch(/Scopes: read, write\. It expires on <time [^>]+>\d{4}-\d\d-\d\d \d\d:\d\d UTC<\/time>\./)
  expect((await generate({ read: 'on', expiry: '' })).text).toContain('Scopes: read. It never expires.')
})

test('the list shows when a key expires as text too, because a title needs a pointer', async () => {
  await generate({ read: 'on' })
  const [{ expiresAt }] = (await listKeys()) as [ApiKey]
  const exact = new Date(expiresAt ?? 0).toISOString().slice(0, 16).replace('T', ' ')
  expect((await pages.read(keysPage, { organizationId })).text).toContain(`>${exact} UTC</time>`)
})

test('a key with ingest keeps its projects and addresses, which the list and the form for a key like it show', async () => {
  const bounds = { projects: `${projectId}\r\n${projectId}`, addresses: ' 203.0.113.0/24 \n\n2001:db8::/32' }
  expect((await generate({ ingest: 'on', ...bounds })).status).toBe(200)
  const [key] = (await listKeys()) as [ApiKey]
  const allowedAddresses = ['203.0.113.0/24', '2001:db8::/32']
  expect(key).toMatchObject({ scopes: ['ingest'], projectIds: [projectId], allowedAddresses })
  const { text } = await pages.read(keysPage, { organizationId })
  expect(text).toContain(`ingest, of ${projectId}, from 203.0.113.0/24, 2001:db8::/32<`)
  const lines = ['203.0.113.0/24\n2001:db8::/32', projectId]
  expect(await readForm(`like=${key.id}`)).toEqual({ ticked: ['ingest'], expiry: '90', lines, isUnfolded: true })
})

test.each<[string, Record<string, string>, string]>([
  ['no scope', {}, 'Choose at least one: read, write, ingest or count.'],
  [
    'ingest and read',
    { ingest: 'on', read: 'on' },
    'A key with &quot;ingest&quot; or &quot;count&quot; can have no other scope.',
  ],
  [
    'projects without ingest',
    { read: 'on', projects: 'prj_1' },
    'Only a key with &quot;ingest&quot; or &quot;count&quot; can be limited',
  ],
  ['an unknown project', { ingest: 'on', projects: 'prj_1' }, 'This organization has no project prj_1. Copy the ids'],
  ['a bad range', { read: 'on', addresses: '10.0.0.0/8\n10/8' }, '10/8 is not an address or a CIDR range. Write one'],
  [
    'too many ranges',
    { read: 'on', addresses: Array.from({ length: 101 }, (_, at) => `10.0.0.${at}`).join('\n') },
    'These are more than 100 lines.',
  ],
  ['an unknown expiry', { read: 'on', expiry: '7' }, 'Choose when the key expires from the list.'],
])('a form with %s is refused at its field, and keeps what was written', async (_, form, problem) => {
  const { status, text } = await generate(form)
  expect(status).toBe(400)
  expect(text.match(/class="problem"/g)).toHaveLength(1)
  expect(text).toContain(problem)
  expect(text).toContain('name="name" value="ci"')
  expect(await listKeys()).toEqual([])
})

test('a key cannot name a project of another organization', async () => {
  const other = await addOrganization(pages.store)
  const { status, text } = await generate({ ingest: 'on', projects: other.projectId })
  expect([status, text.includes(`This organization has no project ${other.projectId}.`)]).toEqual([400, true])
})
