import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findBrowser, installCommand } from '../../../server/web/browser/find-browser.ts'
import { runQuire } from '../../support/process.ts'
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

const numbered = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${name}${index}`).join(' ')

/** Starts a site of one page with 71 words, to which a script adds 12 words. */
async function start(script: string): Promise<URL> {
  const page = `<!doctype html><html><head><title>x</title></head><body><h1>x</h1><p>${numbered('word', 70)}</p><script>${script}</script></body></html>`
  const server = await startFakeSite({ '/': page, '/late.json': JSON.stringify(numbered('late', 12)) })
  servers.push(server)
  return server.origin
}

/** Finds its data only at the root of a host. */
const needsRoot = "fetch('/late.json').then(it => it.json()).then(it => document.body.append(it))"

/** Makes the text only at the origin. */
const needsOrigin = `if (location.host !== 'localhost' && location.protocol === 'http:') document.body.append(' ${numbered('late', 12)}')`

test('a page that loses a tenth of its words away from the root is kept as a browser shows it', {
  timeout: 60_000,
}, async () => {
  const { report, entries } = await exportFakeSite(await start(needsRoot))
  expect(report).toMatchObject({ pages: 1, renderedPages: ['/'], differences: [], scripts: { mode: 'none' } })
  expect(report.notes).toContain(
    'index.html has text that only its scripts make, and not in all places. It is kept as a browser shows it, without scripts; --allow-loss keeps the scripts, and loses the text elsewhere.',
  )
  expect(readEntry(entries, 'index.html')).toContain('late0 late1')
  expect(readEntry(entries, 'index.html')).not.toContain('late.json')
  // The browser decided that no script stays, so the report must not speak of rules.
  expect(readEntry(entries, 'export-report.html')).not.toContain('without a browser')
})

test('so are the pages with the same scripts, and no others', { timeout: 120_000 }, async () => {
  const page = (name: string, script: string) =>
    `<!doctype html><html><head><title>${name}</title></head><body><h1>${name}</h1><p>${numbered(name, 70)}</p>
    <a href="/">a</a> <a href="/b.html">b</a> <a href="/c.html">c</a><script src="${script}"></script></body></html>`
  const server = await startFakeSite({
    '/': page('a', 'late.js'),
    '/b.html': page('b', 'late.js'),
    '/c.html': page('c', 'early.js'),
    '/late.js': { body: needsRoot, headers: { 'content-type': 'text/javascript' } },
    '/early.js': { body: 'document.body.append("early")', headers: { 'content-type': 'text/javascript' } },
    '/late.json': JSON.stringify(numbered('late', 12)),
  })
  servers.push(server)
  const { report, entries } = await exportFakeSite(server.origin)
  expect(report).toMatchObject({ renderedPages: ['/', '/b.html'], differences: [], scripts: { mode: 'everywhere' } })
  expect(report.notes.join()).toContain('2 pages, such as b.html, have text that only their scripts make')
  expect(readEntry(entries, 'b.html')).toContain('late11')
  expect(readEntry(entries, 'c.html')).toContain('early.js')
})

test('an export fails and writes no bundle if too many pages lose a tenth of their words to open them all', {
  timeout: 120_000,
}, async () => {
  const links = Array.from({ length: 400 }, (_, index) => `<a href="/p${index + 1}.html"></a>`).join('')
  const page = (number: number) =>
    `<!doctype html><html><head><title>${number}</title></head><body><h1>${number}</h1><p>${numbered('word', 70)}</p>
    ${number === 0 ? links : ''}<script src="/late.js"></script></body></html>`
  const server = await startFakeSite(path => {
    if (path === '/late.js') return needsRoot
    if (path === '/late.json') return JSON.stringify(numbered('late', 12))
    const [, number] = /^\/p(\d+)\.html$/.exec(path) ?? []
    return path === '/' ? page(0) : number && page(Number(number))
  })
  servers.push(server)
  const folder = mkdtempSync(join(tmpdir(), 'quire-lossy-'))
  const { code, stderr } = await runQuire(['export', server.origin.href, '-o', join(folder, 'docs.zip')])
  expect(code).toBe(1)
  expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(
    /loses 14% of its words in a folder of a host \(71 of 83 are shown\).*; to make the bundle all the same, pass --allow-loss or set QUIRE_ALLOW_LOSS=1\./,
  )
  expect(readdirSync(folder)).toEqual([])
  rmSync(folder, { recursive: true })
})

test('a loss that is allowed is in the report', { timeout: 60_000 }, async () => {
  const { report, entries } = await exportFakeSite(await start(needsRoot), { allowLoss: true })
  const loss = { words: 12, repeated: 0, of: 83 }
  expect(report.scripts.mode).toBe('guarded')
  expect(report.differences).toMatchObject([
    { page: 'index.html', place: 'folder', loss },
    { page: 'index.html', place: 'file', loss },
  ])
  expect(report.notes[0]).toMatch(/^Lost text: index\.html loses 14%/)
  expect(readEntry(entries, 'export-report.html')).toContain('<td>71 of 83</td>')
})

test('a loss at the root of a host is found too', { timeout: 60_000 }, async () => {
  const { report } = await exportFakeSite(await start(needsOrigin), { allowLoss: true })
  expect(report.differences.map(({ place, loss }) => [place, loss?.words])).toEqual([
    ['root', 12],
    ['folder', 12],
    ['file', 12],
  ])
})
