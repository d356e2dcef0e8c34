import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createPlace } from '../../../server/export/verify/places.ts'
import { findBrowser, installCommand } from '../../../server/web/browser/find-browser.ts'
import { openBundleViewer } from '../../../server/web/browser/viewer.ts'
import { exportFakeSite, startFakeSite } from '../fake-site.ts'
import { readEntry } from '../read-archive.ts'
import type { RunningServer } from '../static-server.ts'

const servers: RunningServer[] = []

beforeEach(context => {
  if (!findBrowser()) context.skip(`needs a Chromium; install one with: ${installCommand()}`)
})

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

const words = (name: string, count: number) => Array.from({ length: count }, (_, at) => `${name}${at}`).join(' ')
/** Inserts a tracker, without its scheme. Then adds text to the page. */
const script = `
  var tracker = document.createElement('script')
  tracker.src = '//tracker.invalid/t.js?' + Date.now()
  document.head.appendChild(tracker)
  document.body.append('${words('added', 12)}')`
const markup = (name: string) =>
  `<!doctype html><html><head><title>${name}</title><script src="js/help.js"></script></head><body><h1>${name}</h1><p>${words(name, 70)}</p><a href="a.html">a</a> <a href="b.html">b</a></body></html>`
const late = `addEventListener('DOMContentLoaded', () => {${script}\n${'{inline}'}})`

async function run(more: string, removeScripts: string[]) {
  const server = await startFakeSite({
    ...{ '/': markup('home'), '/a.html': markup('a'), '/b.html': markup('b') },
    ...{ '/js/help.js': late.replace('{inline}', more), '/js/ask.js': "document.body.append('asked')" },
  })
  servers.push(server)
  const rules = { removeSelectors: [], removeScripts, keep: [], products: [], excludePages: [] }
  return exportFakeSite(server.origin, { removal: rules })
}

test('a tracker that fails at the origin too does not decide where scripts run', { timeout: 60_000 }, async () => {
  const { report } = await run('', [])
  expect([report.scripts.mode, report.scripts.reason, report.differences]).toEqual(['everywhere', null, []])
})

test('what --remove-script names is not inserted by scripts either', { timeout: 90_000 }, async () => {
  const inserted = `
    const asks = document.createElement('script')
    asks.setAttribute('src', 'js/ask.js')
    document.body.append(asks)
    const inline = document.createElement('script')
    inline.text = 'startChat( "key" ); document.body.append("chatting")'
    document.body.prepend(inline)`
  const { report, entries, names } = await run(inserted, ['*/ask.js', 'tracker.invalid/*', "inline:startChat('key')"])
  expect([report.scripts.mode, report.scripts.reason, report.differences]).toEqual(['everywhere', null, []])
  expect(names).not.toContain('js/ask.js')
  expect(readEntry(entries, 'index.html')).toContain('"^tracker\\\\.invalid/')

  const folder = mkdtempSync(join(tmpdir(), 'quire-inserted-'))
  for (const { name, content } of entries) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  const viewer = await openBundleViewer({
    ...{ executablePath: findBrowser() ?? '', allowNoSandbox: true, profileFolder: join(folder, 'profile') },
    ...{ pageTimeoutMs: 20_000, pageRequests: 100, signal: new AbortController().signal },
  })
  const place = createPlace('file', folder)
  const look = await viewer.look(place.address('index.html'), place.answer).finally(() => viewer.close())
  rmSync(folder, { recursive: true, force: true })
  expect([look?.words.includes('added11'), look?.failed]).toEqual([true, []])
  expect(look?.words.filter(word => /asked|chatting/.test(word))).toEqual([])
})
