import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'puppeteer'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findBrowser, installCommand } from '../../server/web/browser/find-browser.ts'
import { exportFakeSite, type FakeSite, nextFiles, startFakeSite } from './fake-site.ts'
import { unpackArchive } from './read-archive.ts'
import { openBrowser } from './search/search-visitor.ts'
import { type HostHabits, type RunningServer, serveFolder, startServer } from './static-server.ts'

const folder = mkdtempSync(join(tmpdir(), 'quire-hosts-'))
const words = (name: string) => Array.from({ length: 40 }, (_, index) => `${name}${index}`).join(' ')
const pages: Record<string, string> = {
  '/': 'home',
  '/guides': 'guides',
  '/guides/database': 'database',
  '/guides/plugins': 'plugins',
  '/about/': 'about',
}
/** An app that knows its pages only by their original addresses, and loads data by an address relative to the page. */
const app = `
  const pages = ${JSON.stringify(pages)}
  const title = document.querySelector('h1')
  async function show() {
    const name = pages[location.pathname]
    const said = name && location.pathname !== '/' && await (await fetch('./' + name + '.json')).json()
    title.textContent = name ? name + ' live ' + (said || '') : 'the app does not know ' + location.pathname
  }
  addEventListener('click', event => {
    if (event.target.id !== 'next') return
    event.preventDefault()
    history.pushState(null, '', '/guides/plugins')
    show()
  })
  show()`
const markup = (name: string) =>
  `<!doctype html><html><head><title>${name}</title><script type="module" src="/app.js"></script></head><body><h1>${name}</h1><p>${words(name)}</p>${Object.entries(
    pages,
  )
    .map(([path, title]) => `<a id="to-${title}" href="${path}">${title}</a>`)
    .join(' ')}<button id="next">next</button><p id="part">part</p></body></html>`
const site: FakeSite = {
  ...Object.fromEntries(Object.entries(pages).map(([path, name]) => [path, markup(name)])),
  '/app.js': app,
  '/guides.json': '"at the top"',
  '/guides/database.json': '"beside"',
  '/guides/plugins.json': '"beside, too"',
  '/about/about.json': '"below"',
}

const hosts: Record<string, HostHabits> = {
  'a host that guesses extensions': { guesses: true },
  'a host that hides extensions': { guesses: true, isClean: true },
  'a host that shows only files and folders': { indexes: ['index.html', 'index.htm'] },
}

let origin: RunningServer
let browser: Browser
let host: RunningServer | undefined

beforeAll(async () => {
  if (!findBrowser()) return
  origin = await startFakeSite(site)
  const { outFile } = nextFiles()
  const { report } = await exportFakeSite(origin.origin, { outFile })
  expect(report.scripts).toMatchObject({ mode: 'guarded', decidedBy: 'browser' })
  expect(report.redirects).toEqual([])
  unpackArchive(outFile, folder)
  browser = await openBrowser()
})

beforeEach(context => {
  if (!findBrowser()) context.skip(`needs a Chromium; install one with: ${installCommand()}`)
})
afterEach(async () => {
  await host?.close()
  host = undefined
})
afterAll(async () => {
  await browser?.close()
  await origin?.close()
  rmSync(folder, { recursive: true, force: true })
})

async function openTab(address: string) {
  const tab = await browser.newPage()
  const faults: string[] = []
  tab.on('response', response => {
    if (response.status() >= 400) faults.push(`${response.status()} ${response.url()}`)
  })
  tab.on('requestfailed', request => faults.push(`${request.url()} ${request.failure()?.errorText}`))
  tab.on('pageerror', error => faults.push(String(error)))
  const title = async (want: RegExp) => {
    await tab
      .waitForFunction(text => new RegExp(text).test(document.querySelector('h1')?.textContent ?? ''), {}, want.source)
      .catch(() => {})
    return tab.$eval('h1', heading => heading.textContent.trim())
  }
  await tab.goto(address, { timeout: 20_000 })
  return { tab, faults, title }
}

describe.each(Object.entries(hosts))('on %s', (_, habits) => {
  async function open(path: string) {
    host = await startServer(serveFolder(folder, '/', habits))
    return openTab(new URL(path, host.origin).href)
  }

  test.each([
    ['/', 'home live'],
    ['/guides', 'guides live at the top'],
    ['/guides.html', 'guides live at the top'],
    ['/guides/database', 'database live beside'],
    ['/guides/database.html?x=1#part', 'database live beside'],
    ['/about/', 'about live below'],
    ['/about/index.html', 'about live below'],
  ])('%s is the page that the origin shows', async (path, want) => {
    const { tab, faults, title } = await open(path)
    expect(await title(/live/)).toBe(want)
    const { pathname, search, hash } = new URL(path.replace(/(index)?\.html/, ''), tab.url())
    expect(new URL(tab.url())).toMatchObject({ pathname, search, hash })
    expect(faults).toEqual([])
    await tab.close()
  })

  test('links lead to their pages, and a page that a script showed can be reloaded', async () => {
    const { tab, faults, title } = await open('/')
    for (const [name, want] of [
      ['database', /^database live beside/],
      ['about', /^about live below/],
      ['guides', /^guides live at/],
    ] as const) {
      await Promise.all([tab.waitForNavigation(), tab.click(`#to-${name}`)])
      expect(await title(want)).toMatch(want)
    }
    await tab.click('#next')
    expect(await title(/^plugins live beside, too/)).toBe('plugins live beside, too')
    await tab.reload()
    expect(await title(/^plugins live beside, too/)).toBe('plugins live beside, too')
    expect(new URL(tab.url()).pathname).toBe('/guides/plugins')
    expect(faults).toEqual([])
    await tab.close()
  })
})

test('links lead to their pages on file://', async () => {
  const { tab, faults } = await openTab(`file://${folder}/index.html`)
  for (const name of ['database', 'about', 'guides']) {
    await Promise.all([tab.waitForNavigation(), tab.click(`#to-${name}`)])
    expect(await tab.$eval('h1', heading => heading.textContent)).toBe(name)
  }
  expect(faults).toEqual([])
  await tab.close()
})
