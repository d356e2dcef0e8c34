import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import puppeteer from 'puppeteer'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { findBrowser, installCommand } from '../../../server/web/browser/find-browser.ts'
import { exportFakeSite, type FakeSite, startFakeSite } from '../fake-site.ts'
import { readEntry } from '../read-archive.ts'
import { serveFolder, startServer } from '../static-server.ts'

const scratch = mkdtempSync(join(tmpdir(), 'quire-lazy-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))
beforeEach(context => {
  if (!findBrowser()) context.skip(`needs a Chromium; install one with: ${installCommand()}`)
})

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)
const blank = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=='
const words = Array.from({ length: 70 }, (_, index) => `word${index}`).join(' ')
const pictures = `
<img id="a" class="lazyload" data-src="/img/a.png">
<img id="b" src="${blank}" data-original="img/b.png">
<img id="c" src="/img/grey.png" data-lazy-src="/img/c.png" data-lazy-srcset="/img/c2.png 2x">
<img id="d" data-lazy="/img/d.png" alt="d">
<picture><source data-srcset="/img/e.png"><img id="e" class="lazyload" src="${blank}"></picture>
<div id="f" class="lazyload" data-bg="/img/f.png" style="width:9px;height:9px"></div>
<div id="g" data-bg="url('/img/g.png')" style="width:9px;height:9px"></div>
<img class="holder" src="${blank}"><noscript><img id="h" src="/img/h.png"></noscript>
<img id="i" data-lazy="true" src="/img/i.png">
<noscript><img id="pixel" src="/img/pixel.png" width="1" height="1"></noscript>
<noscript><p>Switch scripts on.<img src="/img/no.png"></p></noscript>`
/** A script that works only at the root of a host, and shows the pictures there. */
const app = `
if (location.pathname !== '/' && location.pathname !== '/index.html') document.body.textContent = 'lost'
for (const it of document.querySelectorAll('[data-src]')) it.src = it.dataset.src`
const site: FakeSite = path =>
  path === '/'
    ? `<!doctype html><html><head><title>x</title><style>.lazyload{opacity:0}</style></head><body><h1>x</h1><p>${words}</p>${pictures}<script src="/app.js"></script></body></html>`
    : path === '/app.js'
      ? { body: app, headers: { 'content-type': 'text/javascript' } }
      : path.startsWith('/img/')
        ? { body: png, headers: { 'content-type': 'image/png' } }
        : undefined

/** Returns the file that each picture shows, or 'not seen', by id or class. */
function readPictures() {
  const found: Record<string, string> = {}
  const file = (address: string) => address.replace(/^.*\//, '').replace(/["')]+$/, '')
  for (const element of document.querySelectorAll<HTMLElement>('body img, body div')) {
    const style = getComputedStyle(element)
    const isSeen = style.opacity === '1' && style.display !== 'none'
    const name = element.id || element.className
    if (element instanceof HTMLImageElement)
      found[name] = isSeen && element.naturalWidth > 0 ? file(element.currentSrc) : 'not seen'
    else found[name] = isSeen ? file(style.backgroundImage) : 'not seen'
  }
  return found
}

test('pictures that a script loads are packed, and shown where the script does not run', {
  timeout: 120_000,
}, async () => {
  const server = await startFakeSite(site)
  const { report, entries, names } = await exportFakeSite(server.origin).finally(() => server.close())
  expect(report.scripts.mode).toBe('guarded')
  const packed = ['a', 'b', 'c', 'c2', 'd', 'e', 'f', 'g', 'grey', 'h', 'i', 'no', 'pixel'].map(
    name => `img/${name}.png`,
  )
  expect([names.filter(name => name.startsWith('img/')), report.missingFiles]).toEqual([packed, []])
  const home = readEntry(entries, 'index.html')
  for (const markup of ['data-original="img/b.png"', 'data-lazy="true"', 'data-bg="img/f.png"', 'url(&quot;img/g.png'])
    expect(home).toContain(markup)

  const folder = join(scratch, 'bundle')
  for (const entry of entries) {
    mkdirSync(dirname(join(folder, entry.name)), { recursive: true })
    writeFileSync(join(folder, entry.name), entry.content)
  }
  const host = await startServer(serveFolder(folder, '/deep/docs/'))
  const browser = await puppeteer.launch({ executablePath: findBrowser() ?? '', args: ['--no-sandbox'] })
  try {
    const places = [pathToFileURL(join(folder, 'index.html')).href, new URL('/deep/docs/', host.origin).href]
    for (const address of places) {
      const page = await browser.newPage()
      await page.goto(address, { waitUntil: 'networkidle0' })
      expect(await page.evaluate(readPictures), address).toEqual({
        ...Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map(name => [name, `${name}.png`])),
      })
    }
  } finally {
    await browser.close()
    await host.close()
  }
})
