import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'puppeteer'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { viewScript } from '../../server/analytics/view-script.ts'
import { findBrowser, installCommand } from '../../server/web/browser/find-browser.ts'
import { exportFakeSite, type FakeSite, nextFiles, startFakeSite } from '../export/fake-site.ts'
import { openBrowser } from '../export/search/search-visitor.ts'
import { startServer } from '../export/static-server.ts'
import { waitFor } from '../support/export-site.ts'
import { type HostProcess, startHost } from './host-process.ts'

const words = (name: string) => Array.from({ length: 40 }, (_, index) => `${name}${index}`).join(' ')
const names = ['home', 'guide', 'a b', 'about']
const pathOf = (name: string) => (name === 'home' ? '/' : `/${encodeURIComponent(name)}`)
/** A router, as single-page apps have one: links change the address and the text, and load nothing. */
const router = `
  const show = () => (document.querySelector('h1').textContent = decodeURIComponent(location.pathname.slice(1)) || 'home')
  addEventListener('popstate', show)
  addEventListener('click', event => {
    const link = event.target.closest('a')
    if (!link) return
    event.preventDefault()
    history.pushState({}, '', link.getAttribute('data-to'))
    history.replaceState({ at: 1 }, '', location.href)
    show()
  })`
const markup = (name: string) =>
  `<!doctype html><html><head><meta charset="utf-8"><title>${name}</title><script type="module" src="/router.js"></script></head>` +
  `<body><h1>${name}</h1><p>${words(name)}</p>${names.map(each => `<a href="${pathOf(each)}" data-to="${pathOf(each)}">${each}</a>`)}</body></html>`

let folder: string
let browser: Browser
let all: CountingHost
let willing: CountingHost

beforeAll(async () => {
  if (!findBrowser()) return
  folder = mkdtempSync(join(tmpdir(), 'quire-count-views-'))
  const site: FakeSite = {
    ...Object.fromEntries(names.map(name => [pathOf(name), markup(name)])),
    '/router.js': router,
  }
  const origin = await startFakeSite(site)
  const { outFile } = nextFiles()
  await exportFakeSite(origin.origin, { outFile })
  await origin.close()
  all = await startCounting(outFile, 'all')
  willing = await startCounting(outFile, 'unless-opted-out')
  browser = await openBrowser()
})
beforeEach(context => {
  if (!findBrowser()) context.skip(`needs a Chromium; install one with: ${installCommand()}`)
})
afterAll(async () => {
  await browser?.close()
  for (const { host } of [all, willing].filter(Boolean)) expect(await host.end('SIGTERM')).toBe(0)
  if (folder) rmSync(folder, { recursive: true, force: true })
})

interface CountingHost {
  host: HostProcess
  /** Returns what was logged since the last call with the same words, once it has so many requests that tell of a page. */
  readLog(views: number): Promise<{ log: string; views: string[] }>
}

async function startCounting(bundle: string, readers: string): Promise<CountingHost> {
  const file = join(folder, `${readers}.log`)
  const args = [bundle, '--data', join(folder, readers), '--access-log', file, '--count-views', readers]
  const host = await startHost(args)
  await host.read(output => output.includes('"msg":"serving a version"'))
  let start = 0
  return {
    host,
    readLog: wanted =>
      waitFor(async () => {
        const whole = existsSync(file) ? readFileSync(file, 'utf8') : ''
        const log = whole.slice(start)
        const views = [...log.matchAll(/"GET \/_quire\/view\?page=(\S+) HTTP\/1\.1" (\d+)/g)]
        if (views.length < wanted) return undefined
        start = whole.length
        return { log, views: views.map(([, page = '', status]) => `${decodeURIComponent(page)} ${status}`) }
      }),
  }
}

type Prepare = (tab: Page) => Promise<unknown>

async function open({ host }: CountingHost, prepare: Prepare, page = '/guide'): Promise<Page> {
  const tab = await browser.newPage()
  await prepare(tab)
  await tab.goto(host.url + page, { waitUntil: 'networkidle0' })
  return tab
}

async function click(tab: Page, name: string): Promise<void> {
  await tab.$$eval('a', (links, wanted) => links.find(link => link.textContent === wanted)?.click(), name)
  await tab.waitForFunction(wanted => document.querySelector('h1')?.textContent === wanted, {}, name)
}

/** A browser that does not have the Navigation API yet. */
const withoutNavigation = (tab: Page) =>
  tab.evaluateOnNewDocument('delete Window.prototype.navigation; delete window.navigation')

test.each([
  ['a current browser', async () => {}],
  ['a browser without the Navigation API', withoutNavigation],
])('a host counts each page that a reader opens in %s, also without loading', async (_, prepare) => {
  const tab = await open(all, prepare)
  await click(tab, 'about')
  await click(tab, 'a b')
  await tab.goBack()
  const { log, views } = await all.readLog(4)
  expect(views).toEqual(['/guide 204', '/about 204', '/a%20b 204', '/about 204'])
  // Without the script, the log has only the first page.
  expect(log.match(/"GET \/(guide|about|a%20b) /g)).toEqual(['"GET /guide '])
  expect(await tab.evaluate(() => [document.cookie, localStorage.length + sessionStorage.length])).toEqual(['', 0])
  await tab.close()
})

test('a page in the background counts when the reader looks at it', async () => {
  const hide = (tab: Page) =>
    tab.evaluateOnNewDocument(
      "Object.defineProperty(document, 'visibilityState', { get: () => window.isShown ? 'visible' : 'hidden' })",
    )
  const tab = await open(all, hide)
  // The log is in the order of the requests, so a view of the page would be before this one.
  await fetch(`${all.host.url}/_quire/view?page=%2Fabout`)
  expect((await all.readLog(1)).views).toEqual(['/about 204'])
  await tab.evaluate(() => {
    Object.assign(window, { isShown: true })
    document.dispatchEvent(new Event('visibilitychange'))
    document.dispatchEvent(new Event('visibilitychange'))
  })
  expect((await all.readLog(1)).views).toEqual(['/guide 204'])
  await tab.close()
})

test('readers who ask not to be tracked are not counted if the operator says so', async () => {
  const say = (name: string, value: unknown) => (tab: Page) =>
    tab.evaluateOnNewDocument(`Object.defineProperty(navigator, '${name}', { value: ${JSON.stringify(value)} })`)
  const tabs = [
    await open(willing, say('globalPrivacyControl', true), '/guide'),
    await open(willing, say('doNotTrack', '1'), '/about'),
    await open(willing, say('doNotTrack', '0'), '/'),
  ]
  expect((await willing.readLog(1)).views).toEqual(['/ 204'])
  for (const tab of tabs) await tab.close()
})

test('a request without a page is refused, and the script is only in pages of the site', async () => {
  const { url } = all.host
  for (const query of ['', '?page=', '?page=guide', '?page=%2F%0A']) {
    expect((await fetch(`${url}/_quire/view${query}`)).status).toBe(400)
  }
  expect((await fetch(`${url}/_quire/view?page=%2F`, { method: 'POST' })).status).toBe(405)
  expect(await (await fetch(`${url}/none`)).text()).not.toContain('_quire')
  for (const encoding of ['br', 'gzip', 'identity']) {
    const answer = await fetch(`${url}/guide`, { headers: { 'Accept-Encoding': encoding } })
    expect(answer.headers.get('content-encoding') ?? 'identity').toBe(encoding)
    expect(await answer.text()).toContain('<head><script src="/_quire/views.js" defer></script>')
  }
  expect((await all.readLog(2)).views).toContain('guide 400')
})

test('on another server, a page that is not found is left to its status', async () => {
  const page = '<!doctype html><script src="/views.js" defer></script><h1>Docs</h1>'
  const server = await startServer(({ url }, res) => {
    const isScript = url === '/views.js'
    res.writeHead(url === '/gone' ? 404 : url?.startsWith('/_quire') ? 204 : 200, {
      'Content-Type': isScript ? 'text/javascript' : 'text/html',
    })
    res.end(isScript ? viewScript : page)
  })
  const tab = await browser.newPage()
  await tab.goto(new URL('/gone', server.origin).href, { waitUntil: 'networkidle0' })
  await tab.evaluate(() => history.pushState({}, '', '/guide'))
  await tab.waitForNetworkIdle()
  expect(server.requests.filter(target => target.startsWith('/_quire'))).toEqual(['/_quire/view?page=%2Fguide'])
  await tab.close()
  await server.close()
})

test('the script has at most 1 KB', () => {
  expect(gzipSync(viewScript).length).toBeLessThanOrEqual(1024)
})
