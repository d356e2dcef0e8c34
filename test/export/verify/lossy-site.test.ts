import { afterEach, beforeEach, expect, test } from 'vitest'
import { findBrowser, installCommand } from '../../../server/web/browser/find-browser.ts'
import { exportFakeSite, startFakeSite } from '../fake-site.ts'
import { readEntry } from '../read-archive.ts'
import type { RunningServer } from '../static-server.ts'

let server: RunningServer

beforeEach(async context => {
  if (!findBrowser()) context.skip(`needs a Chromium; install one with: ${installCommand()}`)
  server = await startFakeSite({ '/': page, '/late.json': JSON.stringify(numbered('late', 12)) })
})

afterEach(() => server?.close())

const numbered = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${name}${index}`).join(' ')
/** A page that loads a sixth of its words from the root of its host. */
const page = `<!doctype html><html><head><title>x</title></head><body><h1>x</h1><p>${numbered('word', 70)}</p><script>fetch('/late.json').then(it => it.json()).then(it => document.body.append(it))</script></body></html>`

test('a page that loses a tenth of its words in a place fails the export, unless the loss is allowed', {
  timeout: 60_000,
}, async () => {
  await expect(exportFakeSite(server.origin)).rejects.toMatchObject({
    code: 'text_lost',
    message: expect.stringMatching(/^index\.html loses 14% of its words in a folder of a host \(71 of 83 are shown\)/),
  })
  const { report, entries } = await exportFakeSite(server.origin, { allowLoss: true })
  expect(report.scripts.mode).toBe('guarded')
  const loss = { words: 12, repeated: 0, of: 83 }
  expect(report.differences).toMatchObject([
    { page: 'index.html', place: 'folder', loss },
    { page: 'index.html', place: 'file', loss },
  ])
  expect(report.notes[0]).toMatch(/^Lost text: index\.html loses 14%/)
  expect(readEntry(entries, 'export-report.html')).toContain('Lost text: index.html loses 14%')
})
