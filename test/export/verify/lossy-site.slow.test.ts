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

test('an export that loses a tenth of the words of a page fails, and writes no bundle', {
  timeout: 60_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-lossy-'))
  const args = ['export', (await start(needsRoot)).href, '-o', join(folder, 'docs.zip')]
  const { code, stderr } = await runQuire(args)
  expect(code).toBe(1)
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
    'index.html loses 14% of its words in a folder of a host (71 of 83 are shown); to make the bundle all the same, pass --allow-loss or set QUIRE_ALLOW_LOSS=1.',
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
  const script = `if (location.host !== 'localhost' && location.protocol === 'http:') document.body.append(' ${numbered('late', 12)}')`
  const { report } = await exportFakeSite(await start(script), { allowLoss: true })
  expect(report.differences.map(({ place, loss }) => [place, loss?.words])).toEqual([
    ['root', 12],
    ['folder', 12],
    ['file', 12],
  ])
})
