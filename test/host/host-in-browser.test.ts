import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'puppeteer'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { findBrowser, installCommand } from '../../server/web/browser/find-browser.ts'
import { exportFakeSite, type FakeSite, nextFiles, startFakeSite } from '../export/fake-site.ts'
import { openBrowser } from '../export/search/search-visitor.ts'
import { type RunningServer, startServer } from '../export/static-server.ts'
import { type HostProcess, startHost } from './host-process.ts'

const words = (name: string) => Array.from({ length: 40 }, (_, index) => `${name}${index}`).join(' ')
const titles: Record<string, string> = { '/': 'home', '/guides/database': 'database', '/about/': 'about' }
/** An app that works only at the original addresses of its pages, and calls another host. */
const app = (elsewhere: string) => `
  const title = document.querySelector('h1')
  title.textContent = ${JSON.stringify(titles)}[location.pathname] + ' live'
  document.body.style.setProperty('--own', new Function('return "1"')())
  fetch('${elsewhere}').then(() => title.textContent += ' left', () => title.textContent += ' sealed')`
const markup = (name: string) =>
  `<!doctype html><html><head><title>${name}</title><link rel="stylesheet" href="/style.css">` +
  `<script type="module" src="/app.js"></script></head><body><h1>${name}</h1><p>${words(name)}</p>` +
  `${Object.keys(titles).map(path => `<a href="${path}">${titles[path]}</a>`)}<a href="/404.html">gone</a></body></html>`

let folder: string
let elsewhere: RunningServer
let origin: RunningServer
let host: HostProcess
let browser: Browser

beforeAll(async () => {
  if (!findBrowser()) return
  folder = mkdtempSync(join(tmpdir(), 'quire-host-browser-'))
  elsewhere = await startServer((_req, res) => res.writeHead(200, { 'access-control-allow-origin': '*' }).end('{}'))
  const pages = Object.entries(titles).map(([path, name]) => [path, markup(name)])
  const site: FakeSite = {
    ...Object.fromEntries(pages),
    '/404.html': markup('not found'),
    '/app.js': app(elsewhere.origin.href),
    '/style.css': 'h1 { color: rgb(1, 2, 3) }',
  }
  origin = await startFakeSite(site)
  const { outFile } = nextFiles()
  await exportFakeSite(origin.origin, { outFile })
  await origin.close()
  elsewhere.requests.length = 0
  host = await startHost([outFile, '--data', folder])
  await host.read(output => output.includes('"msg":"serving a version"'))
  browser = await openBrowser()
})
beforeEach(context => {
  if (!findBrowser()) context.skip(`needs a Chromium; install one with: ${installCommand()}`)
})
afterAll(async () => {
  await browser?.close()
  await host?.end('SIGTERM')
  await elsewhere?.close()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

async function open(path: string) {
  const tab = await browser.newPage()
  const failed: string[] = []
  tab.on('response', response => {
    if (response.status() >= 400) failed.push(`${response.status()} ${new URL(response.url()).pathname}`)
  })
  await tab.goto(host.url + path, { timeout: 20_000 })
  const colour = await tab.$eval('h1', heading => getComputedStyle(heading).color)
  return { tab, failed, colour }
}

test.each(Object.entries(titles))(
  '%s runs the scripts of the site, and nothing leaves the host',
  async (path, name) => {
    const { tab, failed, colour } = await open(path)
    await tab.waitForFunction(() => /sealed|left/.test(document.querySelector('h1')?.textContent ?? ''))
    expect(await tab.$eval('h1', heading => heading.textContent)).toBe(`${name} live sealed`)
    expect([failed, colour, elsewhere.requests]).toEqual([[], 'rgb(1, 2, 3)', []])
    await tab.close()
  },
)

test('a missing address shows the page of the site, with its styles, at any depth', async () => {
  const { tab, failed, colour } = await open('/a/b/c/d')
  expect(await tab.title()).toBe('not found')
  expect([failed, colour]).toEqual([['404 /a/b/c/d'], 'rgb(1, 2, 3)'])
  await tab.close()
})

test('the host seals its pages with a policy besides that in the page', async () => {
  const { tab } = await open('/')
  const policies = await tab.evaluate(async url => {
    const violated: string[] = []
    addEventListener('securitypolicyviolation', event => violated.push(event.originalPolicy))
    await fetch(url).catch(() => {})
    await new Promise(done => setTimeout(done, 200))
    return violated
  }, elsewhere.origin.href)
  // Only the host's policy names frame-ancestors, which a page cannot set.
  expect(policies.filter(policy => policy.includes('frame-ancestors'))).toHaveLength(1)
  expect(policies).toHaveLength(2)
  expect(elsewhere.requests).toEqual([])
  await tab.close()
})
