import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { measureSize, type SizeResult, tenths } from '../../../scripts/bench/export-scale/measure-size.ts'
import { serveReplicated } from '../../../scripts/bench/export-scale/replicated-site.ts'
import { judgeScale } from '../../../scripts/bench/export-scale/report.ts'

let folder = ''
const pages = ['/', '/a.html', '/b/index.html', '/c.html']
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-scale-test-'))
  for (const path of pages) {
    const file = join(folder, 'site', path.replace(/\/$/, '/index.html'))
    mkdirSync(dirname(file), { recursive: true })
    const words = Array.from({ length: 20 }, (_, index) => `${path}${index}`).join(' ')
    writeFileSync(file, `<!doctype html><html><body><p>${words}</p><a href="/a.html">a</a></body></html>`)
  }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('enough copies of a site are served, each page with a link to its copy', async () => {
  const site = await serveReplicated({ folder: join(folder, 'site'), pages: pages.slice(0, 2), pageCount: 6 })
  const get = async (path: string) => {
    const answer = await fetch(new URL(path, site.root))
    return [answer.status, await answer.text()] as const
  }
  expect(await get('/')).toEqual([200, expect.stringContaining('<a href="/1/a.html">')])
  expect(await get('/1/a.html')).toEqual([200, expect.stringContaining('Copy 1: <a href="/2/a.html">')])
  expect(await get('/3/')).toEqual([200, expect.stringContaining('Copy 3: <a href="/1/">')])
  for (const path of ['/4/', '/0/', '/1/c.html', '/1/b/index.html', '/a.html', '/1/../../a.html'])
    expect((await get(path))[0], path).toBe(404)
  await site.close()
})

test('a size is measured by a complete export', { timeout: 60_000 }, async () => {
  const given = { folder: join(folder, 'site'), pages, pageCount: 12, verify: 'static' as const, scratch: folder }
  const result = await measureSize(given)
  expect(result.pages).toBe(13)
  expect(result.archiveBytes).toBeGreaterThan(1000)
  if (process.platform === 'linux') expect(result.peakBytes).toBeGreaterThan(30e6)
})

test.each([
  [[], []],
  [[5], [5]],
  [Array.from({ length: 20 }, (_, index) => index), [0.5, 2.5, 4.5, 6.5, 8.5, 10.5, 12.5, 14.5, 16.5, 18.5]],
])('the means of the tenths of %j are %j', (values, means) => {
  expect(tenths(values)).toEqual(means)
})

describe('misses', () => {
  const size = (pages: number, cpuSeconds: number, peakBytes: number): SizeResult => {
    return { pages, cpuSeconds, peakBytes, wallSeconds: 1, archiveBytes: 1, tenthsBytes: [] }
  }
  test.each<[string, SizeResult[], RegExp[]]>([
    ['nothing', [size(5000, 110, 4e8), size(500, 10, 3e8)], []],
    [
      'memory',
      [size(500, 10, 3e8), size(5000, 100, 5.01e8)],
      [/^The export of 5000 pages used 501 MB\. The limit is 500 MB\.$/],
    ],
    [
      'time',
      [size(500, 10, 3e8), size(5000, 130, 4e8)],
      [/^The time per page with 5000 pages is 1\.30 times the time with 500 pages\.$/],
    ],
  ])('%s', (_, results, missed) => {
    expect(judgeScale(results)).toEqual(missed.map(line => expect.stringMatching(line)))
  })
})
