import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'puppeteer'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { findBrowser, installCommand } from '../../../server/web/browser/find-browser.ts'
import { exportFakeSite, type FakeSite, nextFiles, startFakeSite } from '../fake-site.ts'
import { readEntry, unpackArchive } from '../read-archive.ts'
import { openBrowser } from '../search/search-visitor.ts'
import { type RunningServer, serveFolder, startServer } from '../static-server.ts'

const scratch = mkdtempSync(join(tmpdir(), 'quire-groups-'))
const servers: RunningServer[] = []
let browser: Browser | undefined

beforeAll(async () => {
  if (findBrowser()) browser = await openBrowser()
})
beforeEach(context => {
  if (!findBrowser()) context.skip(`needs a Chromium; install one with: ${installCommand()}`)
})
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})
afterAll(async () => {
  await browser?.close()
  rmSync(scratch, { recursive: true, force: true })
})

async function run(site: FakeSite) {
  const server = await startFakeSite(site)
  servers.push(server)
  const { outFile } = nextFiles()
  const exported = await exportFakeSite(server.origin, { outFile })
  const folder = mkdtempSync(join(scratch, 'bundle-'))
  unpackArchive(outFile, folder)
  return { ...exported, folder }
}

/** Opens a page of an unpacked bundle at the root of a host. */
async function open(folder: string, path: string) {
  const host = await startServer(serveFolder(folder))
  servers.push(host)
  const tab = await (browser as Browser).newPage()
  await tab.goto(new URL(path, host.origin).href, { timeout: 20_000 })
  const heading = () => tab.$eval('h1', it => it.textContent)
  return { tab, heading }
}

const words = (name: string) => Array.from({ length: 60 }, (_, index) => `${name}${index}`).join(' ')
const page = (name: string, head: string, links: readonly string[]) =>
  `<!doctype html><html><head><title>${name}</title>${head}</head><body><h1>${name}</h1><p>${words(name)}</p>${links.map(to => `<a href="${to}">${to}</a>`).join(' ')}</body></html>`
const guides = ['/guide/a.html', '/guide/b.html', '/guide/c.html', '/guide/d.html']
const calls = ['/api/x.html', '/api/y.html', '/api/z.html']
const all = ['/', ...guides, ...calls]
const pagesOf = (paths: readonly string[], head: string) =>
  Object.fromEntries(paths.map(path => [path, page(path.replace(/\W+/g, ' ').trim(), head, all)]))

test('an absolute import in one template does not take the scripts of another template from any place', {}, async () => {
  const { report, entries } = await run({
    ...pagesOf(['/', ...guides], '<script src="nice.js" defer></script>'),
    ...pagesOf(guides, '<script src="../nice.js" defer></script>'),
    ...pagesOf(calls, `<script type="module" src="../call.js"></script>`),
    '/nice.js': 'document.body.append(" nice")',
    '/call.js': 'import("/parts/call.js")',
    '/parts/call.js': 'document.body.append(" called")',
  })
  expect(report.scripts.groups).toMatchObject([
    { pages: 5, example: 'index.html', mode: 'everywhere', reason: null, unlike: [] },
    { pages: 3, example: 'api/x.html', mode: 'guarded', unlike: [] },
  ])
  expect(report.scripts).toMatchObject({ mode: 'everywhere', decidedBy: 'browser' })
  expect(readEntry(entries, 'guide/a.html')).toContain('<script src="../nice.js" defer></script>')
  expect(readEntry(entries, 'api/x.html')).toContain('<script type="text/quire"')
  expect(readEntry(entries, 'export-report.html')).toContain('api/x.html')
  // A page without scripts lacks the word that they add, and the report says so.
  expect(report.differences.map(({ page, place }) => `${page} ${place}`)).toEqual(
    ['folder', 'file'].flatMap(place => calls.map(path => `${path.slice(1)} ${place}`)),
  )
})

test('a request that a page makes only ahead of a click is no fault', async () => {
  // The data of a page that is linked. The bundle lacks it, because the origin does not send it, either.
  const app = `
    document.querySelector('h1').append(' live')
    for (const link of document.links) fetch(link.href + '?data=1').catch(() => {})
    const name = location.pathname.endsWith('b.html') ? 'c' : 'b'
    const folder = location.pathname.startsWith('/guide') ? './' : './guide/'
    if (location.port === '') fetch(folder + name + '.json').catch(() => {})`
  const { report } = await run({
    ...pagesOf(all, '<script type="module" src="/app.js"></script><link rel="prefetch" href="/api/x.html">'),
    '/app.js': app,
  })
  expect(report.scripts).toMatchObject({ mode: 'guarded' })
  // In a folder of a host, the other pages ask for addresses that no link names.
  expect(report.scripts.groups).toMatchObject([{ pages: 8, unlike: [{ page: 'index.html', mode: 'hosted' }] }])
  expect(report.differences.filter(({ place }) => place === 'root')).toEqual([])
})

test('a page that is unlike its group falls back alone, and is not shown in place', async () => {
  const app = `
    const title = document.querySelector('h1')
    if (location.pathname.startsWith('/guide/b') && location.port === '' && location.protocol === 'http:') throw new Error('no licence')
    title.append(' live')
    addEventListener('click', event => {
      const link = event.target.closest('a')
      if (!link) return
      event.preventDefault()
      history.pushState(null, '', link.href)
      title.textContent = 'in place'
    })`
  const { report, folder } = await run({
    ...pagesOf(all, '<script type="module" src="/app.js"></script>'),
    '/app.js': app,
  })
  expect(report.scripts).toMatchObject({ mode: 'hosted' })
  expect(report.scripts.groups).toMatchObject([
    { pages: 8, mode: 'hosted', unlike: [{ page: 'guide/b.html', mode: 'frozen' }] },
  ])
  expect(report.differences.filter(({ place }) => place !== 'file')).toMatchObject([
    { page: 'guide/b.html', place: 'root', loss: { words: 1 } },
    { page: 'guide/b.html', place: 'folder', loss: { words: 1 } },
  ])
  const { tab, heading } = await open(folder, '/guide/a.html')
  expect(await heading()).toBe('guide a html live')
  await tab.click('a[href$="c.html"]')
  expect(await heading()).toBe('in place')
  await Promise.all([tab.waitForNavigation(), tab.click('a[href$="b.html"]')])
  expect(await heading()).toBe('guide b html')
})
