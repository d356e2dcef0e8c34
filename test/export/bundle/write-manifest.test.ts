import { createHash } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { findPageDay } from '../../../server/export/bundle/write-manifest.ts'
import type { Manifest } from '../../../server/export/model/manifest.ts'
import { exportFakeSite, type FakeSite, page, startFakeSite } from '../fake-site.ts'
import { readEntry } from '../read-archive.ts'
import type { RunningServer } from '../static-server.ts'

const sites: RunningServer[] = []
afterAll(() => Promise.all(sites.map(site => site.close())))

async function run(site: FakeSite, options: Parameters<typeof exportFakeSite>[1] = {}) {
  const started = await startFakeSite(site)
  sites.push(started)
  const exported = await exportFakeSite(started.origin, { verify: 'static', ...options })
  return { ...exported, manifest: JSON.parse(readEntry(exported.entries, 'quire-manifest.json')) as Manifest }
}

const dated = '<meta property="article:modified_time" content="2026-11-05T10:00:00+02:00">'
const site = {
  '/': page('home', '<a href="/a">a</a><img src="/a.png">'),
  '/a': page('a', dated),
  '/a.png': Buffer.from('picture'),
}

test('the manifest has the digest and size of every other file, and the rules of the bundle', async () => {
  const { manifest, entries, names } = await run(site, { version: '2.4', quireVersion: '1.2.3' })
  const { files, ...facts } = manifest
  expect(facts).toEqual({
    format: 'quire-manifest-1',
    engine: 'Quire 1.2.3',
    site: 'docs.example.com',
    version: '2.4',
    pages: 2,
    newestPage: '2026-11-05',
    rules: {
      contents: { onlyListed: true, links: false },
      serving: { index: 'index.html', notFound: null, places: ['root', 'folder', 'file'] },
      outsideProducts: [],
    },
  })
  expect(Object.keys(files)).toEqual(names.filter(name => name !== 'quire-manifest.json'))
  for (const { name, content } of entries.filter(({ name }) => name in files)) {
    const sha256 = createHash('sha256').update(content).digest('hex')
    expect([name, files[name]]).toEqual([name, { sha256, sizeBytes: content.length }])
  }
})

test('Last-Modified, which each deployment changes, does not change the bundle', async () => {
  const withDate = (date: string): FakeSite => ({
    '/': { body: page('home'), headers: { 'last-modified': date } },
  })
  const first = await run(withDate('Wed, 04 Nov 2026 10:00:00 GMT'))
  const second = await run(withDate('Thu, 05 Nov 2026 10:00:00 GMT'))
  expect([second.sha256, first.manifest.newestPage]).toEqual([first.sha256, null])
})

describe('the day of a page', () => {
  test.each<[string, string, string | null]>([
    ['a meta element', dated, '2026-11-05'],
    ['a meta element with its content first', '<meta content="2026-11-06" name="last-modified">', '2026-11-06'],
    [
      'structured data',
      '<script type="application/ld+json">{"dateModified":"2026-11-07T00:00"}</script>',
      '2026-11-07',
    ],
    ['a time element', '<time datetime="2026-11-08T01:02:03Z" itemprop="dateModified">8 Nov</time>', '2026-11-08'],
    ['the latest of several', `${dated}<meta name="last-modified" content="2025-01-01">`, '2026-11-05'],
    ['a date of another element', '<p>modified_time</p><p>2026-11-05</p>', null],
    ['a date in the text', '<p>On 2026-11-05 we met.</p>', null],
    ['no date', '<meta property="article:modified_time" content="yesterday">', null],
  ])('%s', (_, html, day) => {
    expect(findPageDay(html)).toBe(day)
  })
})
