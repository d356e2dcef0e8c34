import { createHash } from 'node:crypto'
import type { Browser, BrowserContext, Page } from 'puppeteer'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { pages } from '../../server/dashboard/pages/index.ts'
import { createId } from '../../server/tenancy/id.ts'
import { findBrowser, installCommand } from '../../server/web/browser/find-browser.ts'
import { openBrowser } from '../export/search/search-visitor.ts'
import { createOrganization, startTestServer, type TestServer } from '../support/server.ts'
import { createPerson, createToken } from './dashboard-client.ts'
import { inspectPage } from './inspect-page.ts'

let server: TestServer
let browser: Browser | undefined
let context: BrowserContext
let tab: Page
let organizationId: string
let faults: string[]
/** Addresses that pages requested from elsewhere. */
let elsewhere: string[]

beforeAll(async () => {
  if (!findBrowser()) return
  server = await startTestServer()
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await server?.dispose()
})
beforeEach(async ({ skip }) => {
  if (!browser) return skip(`needs a Chromium; install one with: ${installCommand()}`)
  ;({ organizationId } = await createOrganization(server.store))
  context = await browser.createBrowserContext()
  tab = await context.newPage()
  await tab.setViewport({ width: 1280, height: 740 })
  faults = []
  elsewhere = []
  tab.on('pageerror', error => faults.push(String(error)))
  tab.on('console', message => {
    if (message.type() === 'error') faults.push(`${message.text()} ${message.location().url}`)
  })
  tab.on('request', request => {
    if (!request.url().startsWith(server.url) && !request.url().startsWith('data:')) elsewhere.push(request.url())
  })
})
afterEach(async () => {
  await context?.close()
  if (browser) expect([faults, elsewhere]).toEqual([[], []])
})

/** Presses a button, and waits for the page that it leads to. */
async function press(selector: string): Promise<void> {
  await Promise.all([tab.waitForNavigation(), tab.click(selector)])
}

async function signIn(name: string, role: 'member' | 'operator' = 'member'): Promise<void> {
  const person = await createPerson(server, role === 'member' ? organizationId : null, name)
  const token = await createToken(server, person)
  await tab.goto(`${server.url}/dashboard/sign-in?token=${token}`)
  await press('button.main')
}

const open = (path: string) => tab.goto(`${server.url}/dashboard/${organizationId}${path === '' ? '/' : path}`)
const text = (selector: string) => tab.$eval(selector, element => element.textContent ?? '')
const callApi = (key: string) =>
  fetch(`${server.url}/v1/static-export/jobs/se_0000000000000000`, { headers: { Authorization: `Bearer ${key}` } })

test('a key is generated, works, is revoked, and is refused; then the person signs out', async () => {
  await signIn('Ada')
  await open('/keys')
  await tab.type('#field-name', 'ci')
  await press('form[action$="generate"] button')
  const key = await text('#new-key')
  expect(await text('#try ~ details pre')).toContain(`export QUIRE_API_KEY=${key}\n`)
  expect((await callApi(key)).status).toBe(404)
  expect(await tab.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie])).toEqual([0, 0, ''])

  await press('.notice a.main')
  expect(await tab.content()).not.toContain(key)
  expect(await text('tbody tr:first-child')).toMatch(/^\s*ci\s*quire_\.\.\.\w{4}read\s*just now/)
  const questions: string[] = []
  tab.once('dialog', dialog => {
    questions.push(dialog.message())
    void dialog.dismiss()
  })
  await tab.click('form[data-confirm] button')
  expect(questions).toEqual([expect.stringContaining('Revoke the key "ci"?')])
  expect((await callApi(key)).status).toBe(404)
  tab.once('dialog', dialog => void dialog.accept())
  await press('form[data-confirm] button')
  expect(await text('.toast[role=status]')).toContain('The key is revoked.')
  const readPlace = () => tab.$eval('.toast', toast => getComputedStyle(toast).position)
  const usual = tab.viewport()
  expect(await readPlace()).toBe('fixed')
  // On a small screen, it would cover buttons.
  await tab.setViewport({ width: 360, height: 740 })
  expect(await readPlace()).toBe('static')
  await tab.setViewport(usual)
  expect((await callApi(key)).status).toBe(401)

  await press('tbody tr:first-child td a')
  expect(await tab.$eval('#field-name', field => (field as HTMLInputElement).value)).toBe('ci')
  await press('header form[action$="sign-out"] button')
  expect(new URL(tab.url()).pathname).toBe('/dashboard/sign-in')
  await open('/keys')
  expect(new URL(tab.url()).pathname).toBe('/dashboard/sign-in')
})

test('a key that a browser refuses to copy is selected', async () => {
  await signIn('Ada')
  await open('/keys')
  await tab.type('#field-name', 'ci')
  await press('form[action$="generate"] button')
  await tab.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))
    document.execCommand = () => false
  })
  const key = await text('#new-key')
  const copy = `button[data-copy="${key}"]`
  await tab.click(copy)
  await tab.waitForFunction(selector => document.querySelector(selector)?.textContent === 'Press Ctrl-C', {}, copy)
  expect(await tab.evaluate(() => String(getSelection()).trim())).toBe(key)
})

test('what was typed wrongly stays in the form, with the problem at its field', async () => {
  await signIn('Ada')
  await open('/keys')
  await tab.type('#field-name', 'org_0f3c9a1b2d4e5f60')
  await tab.click('input[name=read]')
  await press('form[action$="generate"] button')
  expect(await tab.$eval('#field-name', field => [(field as HTMLInputElement).value, field.ariaInvalid])).toEqual([
    'org_0f3c9a1b2d4e5f60',
    'true',
  ])
  expect(await text('#problem-name')).toContain('has the form of an id')
  expect(await tab.title()).toMatch(/^Error: API keys - /)
  expect(await tab.evaluate(() => document.activeElement?.id)).toBe('field-name')
  expect(await text('fieldset .problem')).toBe('Choose at least one: read, write, ingest or count.')
  faults = faults.filter(fault => !fault.includes('400 (Bad Request)'))
})

test('a list says how long ago something was, with UTC as the title', async () => {
  await signIn('Ada')
  await open('/people')
  const shown = await tab.$eval('time', element => [element.textContent, element.title])
  expect(shown).toEqual(['just now', expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/)])
})

test('a theme is chosen by keyboard without loading the page again, and the next pages have it', async () => {
  await signIn('Ada')
  await open('/keys')
  await tab.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }])
  await tab.type('#field-name', 'typed before')
  await tab.focus('.theme [value=dark]')
  await Promise.all([tab.waitForResponse(answer => answer.url().endsWith('/theme')), tab.keyboard.press('Enter')])
  const ground = () => tab.evaluate(() => getComputedStyle(document.body).backgroundColor)
  expect(await ground()).toBe('rgb(20, 23, 26)')
  expect(await tab.$eval('#field-name', field => (field as HTMLInputElement).value)).toBe('typed before')
  await open('/people')
  expect([await ground(), await tab.$eval('[value=dark]', button => button.ariaPressed)]).toEqual([
    'rgb(20, 23, 26)',
    'true',
  ])
  expect(await inspectPage(tab)).toEqual([])
})

test('times of the audit log have seconds, because several events may have the same minute', async () => {
  await signIn('Ada')
  await open('/audit')
  const shown = await tab.$eval('time', element => [element.dateTime, element.textContent, element.title])
  const local = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'medium' })
  expect(shown[1]).toBe(local.format(Date.parse(shown[0] ?? '')))
  expect(shown[2]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/)
})

test('the first page needs less than 150 KB, and every page works without scripts and by keyboard', async () => {
  let bytes = 0
  const session = await tab.createCDPSession()
  await session.send('Network.enable')
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await signIn('Ada')
  await open('/keys')
  expect(bytes).toBeLessThan(150_000)
  await tab.keyboard.press('Tab')
  expect(await tab.evaluate(() => document.activeElement?.textContent)).toBe('Skip to the content')
  await tab.setJavaScriptEnabled(false)
  await open('/keys')
  await tab.type('#field-name', 'without scripts')
  await press('form[action$="generate"] button')
  expect(await text('#new-key')).toMatch(/^quire_/)
})

/** Adds so much that lists have several pages, and that organizations are not in a select. */
async function fillLists(): Promise<void> {
  await server.store.atomically(function* (nouns) {
    for (let index = 0; index < 60; index += 1) {
      const common = { organizationId, name: `a rather long name of number ${index}`, createdAt: 1 }
      const projectId = createId('prj')
      yield* nouns.organizations.insert({
        id: createId('org'),
        name: common.name,
        plan: 'standard',
        createdAt: Date.now(),
      })
      yield* nouns.projects.insert({ id: projectId, ...common, visitorSaltRotation: 'never', visitorRules: 2 })
      yield* nouns.sites.insert({
        domain: `docs-${index}.${organizationId.replace('_', '-')}.example.com`,
        projectId,
        origin: null,
        createdAt: 1,
      })
      yield* nouns.people.insert({ id: createId('usr'), ...common })
      const none = { expiresAt: null, revokedAt: null, lastUsedAt: null }
      const key = { id: createId('key'), ...common, scopes: ['read' as const], last4: 'last', ...none }
      yield* nouns.apiKeys.insert(key, createHash('sha256').update(key.id).digest())
    }
  })
}

test.each(['member', 'operator'] as const)(
  'no page has axe violations or scrolls sideways for a %s',
  { timeout: 120_000 },
  async role => {
    await fillLists()
    await signIn('Ada', role)
    const paths = pages.map(({ path }) => path).filter(path => !path.includes(':'))
    for (const path of paths) {
      if (role === 'member' && path === '/organizations') continue
      await open(path)
      expect([path, ...(await inspectPage(tab))]).toEqual([path])
    }
  },
)
