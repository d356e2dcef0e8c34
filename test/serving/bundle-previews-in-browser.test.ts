import type { Browser, Page } from 'puppeteer'
import puppeteer from 'puppeteer'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { findBrowser, installCommand } from '../../server/web/browser/find-browser.ts'
import { createPerson, createToken } from '../dashboard/dashboard-client.ts'
import { addCompletedJob } from '../support/completed-job.ts'
import { createOrganization, startTestServer, type TestServer } from '../support/server.ts'
import { makeZip } from '../unpack/make-archives.ts'

let server: TestServer
let browser: Browser
let tab: Page
/** The server by a name of this machine, and by another one. */
const servers = { host: '', sandbox: '' }
let organization: string
/** Of the page of the export, and of its bundle at the root of a host and in the sandbox. */
const addresses = { export: '', host: '', sandbox: '' }

/** Tries what a page could do with the session of the person who looks at it. */
async function attack(dashboard: string, api: string) {
  const attempt = async (work: () => unknown) => {
    try {
      return await work()
    } catch (error) {
      return `refused: ${(error as Error).name}`
    }
  }
  const read = (url: string, init: RequestInit) => attempt(async () => (await fetch(url, init)).text())
  const post = (url: string) => {
    const form = document.createElement('form')
    Object.assign(form, { method: 'post', action: url, target: '_blank' })
    document.body.append(form)
    form.submit()
  }
  const wait = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))
  const found = {
    cookie: await attempt(() => document.cookie),
    page: await read(`${dashboard}/keys`, { credentials: 'include' }),
    opaque: await read(`${dashboard}/keys`, { credentials: 'include', mode: 'no-cors' }),
    api: await read(api, { credentials: 'include', method: 'POST', body: '{}' }),
    opener: window.opener === null,
    own: await read('index.html', {}).then(text => String(text).includes('Hostile')),
    worker: await attempt(async () => {
      await navigator.serviceWorker.register('/dashboard/worker.js', { scope: '/dashboard/' })
      return 'registered'
    }),
    opened: '' as unknown,
  }
  post(`${dashboard}/../sign-out`)
  const opened = window.open(`${dashboard}/keys`)
  await wait(1500)
  found.opened = await attempt(() => opened?.document.body.innerText ?? 'nothing')
  return found
}

beforeAll(async () => {
  const executablePath = findBrowser()
  if (!executablePath) return
  server = await startTestServer()
  const { organizationId } = await createOrganization(server.store)
  organization = `/dashboard/${organizationId}`
  servers.host = server.url
  servers.sandbox = `http://docs.example.com:${new URL(server.url).port}`
  const bundle = makeZip([
    { name: 'index.html', content: '<!doctype html><title>Hostile</title><a href="next">Next</a>' },
    {
      name: 'next/index.html',
      content: '<!doctype html><title>Next</title><script type="module" src="../app.js"></script>',
    },
    {
      name: 'app.js',
      content: 'document.title = (await (await fetch(new URL("words.json", import.meta.url))).json())[0]',
    },
    { name: 'words.json', content: '["found"]' },
    { name: 'worker.js', content: '' },
    { name: 'dashboard/worker.js', content: '' },
    { name: 'export-report.html', content: '<!doctype html><title>Report</title>' },
  ])
  const { jobId } = await addCompletedJob(server.store, server.dataFolder, organizationId, undefined, bundle)
  addresses.export = `${organization}/exports/${jobId}`
  browser = await puppeteer.launch({
    executablePath,
    args: [
      '--host-resolver-rules=MAP docs.example.com 127.0.0.1',
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
  })
  tab = await browser.newPage()
  const person = await createPerson(server, organizationId)
  for (const place of ['host', 'sandbox'] as const) {
    const token = await createToken(server, person)
    await tab.goto(`${servers[place]}/dashboard/sign-in?token=${token}`)
    await Promise.all([tab.waitForNavigation(), tab.click('form button')])
    addresses[place] = await openFrom(place)
  }
})
afterAll(async () => {
  await browser?.close()
  await server?.dispose()
})
beforeEach(({ skip }) => {
  if (!browser) skip(`needs a Chromium; install one with: ${installCommand()}`)
})

/** Opens the page of the export, and returns where its first link to the bundle leads. */
async function openFrom(place: keyof typeof servers): Promise<string> {
  await tab.goto(servers[place] + addresses.export)
  const link = await tab.$eval('main a[target=_blank]', link => (link as HTMLAnchorElement).href)
  const page = await browser.newPage()
  await page.goto(link)
  const url = page.url()
  await page.close()
  return url
}

test('the export leads to its pages and its report, without an opener', async () => {
  await tab.goto(servers.sandbox + addresses.export)
  const links = await tab.$$eval('main a[target=_blank]', all =>
    all.map(link => [new URL((link as HTMLAnchorElement).href).pathname, link.getAttribute('rel')]),
  )
  expect(links).toEqual([
    [expect.stringMatching(/^\/preview\/[0-9a-z-]+\/$/), 'noopener noreferrer'],
    [expect.stringMatching(/^\/preview\/[0-9a-z-]+\/export-report\.html$/), 'noopener noreferrer'],
  ])
  expect(addresses.host).toMatch(/^http:\/\/[0-9a-z-]+\.localhost:\d+\/$/)
  expect(addresses.sandbox).toMatch(/^http:\/\/docs\.example\.com:\d+\/preview\/[0-9a-z-]+\/$/)
})

test.each(['host', 'sandbox'] as const)('links, modules and requests of a bundle work: %s', async place => {
  const page = await browser.newPage()
  await page.goto(addresses[place])
  await Promise.all([page.waitForNavigation(), page.click('a')])
  await page.waitForFunction(() => document.title === 'found')
  expect(page.url()).toBe(`${addresses[place]}next/`)
  await page.close()
})

test.each(['host', 'sandbox'] as const)('a hostile bundle reaches neither the session nor the API: %s', async place => {
  const page = await browser.newPage()
  await page.goto(addresses[place])
  const found = await page.evaluate(attack, servers[place] + organization, `${servers[place]}/v1/static-export/jobs`)
  expect(found).toEqual({
    cookie: place === 'host' ? '' : 'refused: SecurityError',
    page: 'refused: TypeError',
    opaque: 'refused: TypeError',
    api: 'refused: TypeError',
    opener: true,
    own: true,
    worker: expect.stringMatching(place === 'host' ? /^re/ : /^refused/),
    opened: expect.stringMatching(/^(refused|nothing)/),
  })
  // A page that a bundle opens has no session.
  const urls = (await browser.pages()).map(each => each.url())
  expect(urls.filter(url => url.includes(`${organization}/keys`))).toEqual([])
  await tab.goto(servers[place] + addresses.export)
  expect(tab.url()).toBe(servers[place] + addresses.export)
  expect(await tab.evaluate(async () => (await navigator.serviceWorker?.getRegistrations())?.length ?? 0)).toBe(0)
  await page.close()
})

test('at the root of a host, a bundle does not get the session without its policy either', async () => {
  const page = await browser.newPage()
  await page.setBypassCSP(true)
  await page.goto(addresses.host)
  const found = await page.evaluate(attack, servers.host + organization, `${servers.host}/v1/static-export/jobs`)
  expect(found).toMatchObject({ page: 'refused: TypeError', api: 'refused: TypeError' })
  await tab.goto(servers.host + addresses.export)
  expect(tab.url()).toBe(servers.host + addresses.export)
  await page.close()
})

test('a guessed, changed or foreign name shows nothing', async () => {
  const { port, hostname } = new URL(addresses.host)
  const changed = hostname.replace(/.(?=\.)/, last => (last === '0' ? '1' : '0'))
  // Names of other forms are names of this server.
  for (const [name, status] of [
    [changed, 404],
    ['x.localhost', 200],
    [`a.${hostname}`, 200],
  ] as const) {
    const page = await browser.newPage()
    const answer = await page.goto(`http://${name}:${port}/docs/`)
    expect([name, answer?.status()]).toEqual([name, status])
    await page.close()
  }
})
