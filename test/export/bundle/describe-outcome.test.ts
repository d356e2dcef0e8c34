import { expect, test } from 'vitest'
import { describeOutcome } from '../../../server/export/bundle/describe-outcome.ts'
import type { ExportReport, ScriptMode } from '../../../server/export/model/report.ts'

const nothing: ExportReport = {
  ...{
    domain: 'docs.example.com',
    version: null,
    stamp: null,
    deployment: 'air-gapped',
    pages: 3,
    files: 4,
    offlineSearch: null,
  },
  ...{ renderedPages: [], comparedPages: [], redirects: [], deadLinks: [], missingFiles: [], skipped: [] },
  ...{
    excludedPages: [],
    removedFeatures: [],
    keptFeatures: [],
    frozenReferences: [],
    packedThirdParty: [],
    removedThirdParty: [],
  },
  ...{ unresolved: [], differences: [], notes: [], siteSearch: null },
  scripts: {
    mode: 'everywhere',
    reason: null,
    groups: [],
    decidedBy: 'browser',
    checkedPages: ['a.html', 'b.html'],
    heldOutPages: [],
    originFaults: [],
  },
}

test('says nothing about a bundle that is as the site', () => {
  expect(describeOutcome(nothing)).toEqual([])
  expect(describeOutcome({ ...nothing, scripts: { ...nothing.scripts, mode: 'none' } })).toEqual([])
})

const findings = { count: 1, pages: [] }
test.each<[Partial<ExportReport>, string]>([
  [{ skipped: [{ url: '/a', reason: 'status 500' }] }, '1 page was left out: /a (status 500).'],
  [
    { deadLinks: ['/a', '/b'].map(to => ({ to, reason: 'status 404', ...findings })) },
    '2 missing pages are linked: /a, /b.',
  ],
  [
    { missingFiles: ['/1.png', '/2.png', '/3.png', '/4.png'].map(url => ({ url, reason: 'x', ...findings })) },
    '4 files could not be fetched, such as /1.png, /2.png, /3.png.',
  ],
  [
    { unresolved: [{ page: 'a.html', address: 'b.png' }] },
    '1 address does not resolve in the bundle: b.png on a.html.',
  ],
  [
    {
      removedFeatures: [
        { product: 'Ask', feature: 'assistant', pages: 1 },
        { product: 'Search', feature: 'search', pages: 3 },
      ],
    },
    '2 products were removed: Ask from 1 page, Search from 3 pages.',
  ],
  [
    { removedThirdParty: [{ url: 'https://x.test/a.js', reason: 'status 404' }] },
    '1 file of another site was left out: https://x.test/a.js (status 404).',
  ],
  [{ excludedPages: [{ url: '/a', pattern: '/a*' }] }, '1 page was excluded by your rules: /a.'],
  [{ renderedPages: ['/a'] }, '1 page is a copy of what a browser shows, without scripts: /a.'],
  [
    {
      differences: [
        { page: 'a.html', place: 'file', what: '9 of 90 words are not shown' },
        { page: 'a.html', place: 'folder', what: 'x' },
      ],
    },
    '1 of 2 opened pages differs from the origin, such as a.html opened from file:// (9 of 90 words are not shown).',
  ],
  [
    { scripts: { ...nothing.scripts, mode: 'hosted', reason: 'a.html on file://: an error: TypeError: no.' } },
    'The scripts of the site run only on a host, and not from file://: a.html on file://: an error: TypeError: no.',
  ],
  [
    { scripts: { ...nothing.scripts, mode: 'guarded', reason: 'an app hydrates its pages' } },
    'The scripts of the site run only at the root of a host: an app hydrates its pages.',
  ],
  [{ scripts: { ...nothing.scripts, mode: 'frozen', reason: null } }, 'The scripts of the site are left out.'],
])('%#: %j', (findings, sentence) => {
  expect(describeOutcome({ ...nothing, ...findings })).toEqual([sentence])
})

test('names the pages when scripts run in other places on some of them', () => {
  const group = (pages: number, example: string, mode: ScriptMode) => ({
    pages,
    example,
    mode,
    reason: 'why',
    unlike: [],
  })
  const groups = [
    group(20, 'a.html', 'everywhere'),
    group(5, 'b.html', 'hosted'),
    group(2, 'c.html', 'frozen'),
    group(1, 'd.html', 'frozen'),
  ]
  expect(describeOutcome({ ...nothing, scripts: { ...nothing.scripts, groups } })).toEqual([
    'The scripts of the site run only on a host, and not from file://, on 5 pages, such as b.html: why.',
    'The scripts of the site are left out on 3 pages, such as c.html: why.',
  ])
})

test('cuts long names and reasons, and keeps each sentence on one line', () => {
  const reason = `a\nb ${'x'.repeat(1000)}`
  const [left, scripts] = describeOutcome({
    ...nothing,
    skipped: [{ url: `/${'y'.repeat(1000)}`, reason }],
    scripts: { ...nothing.scripts, mode: 'frozen', reason },
  })
  expect(left).toMatch(/^1 page was left out: \/y+\.\.\.\.$/)
  expect(left?.length).toBeLessThan(120)
  expect(scripts).toMatch(/^The scripts of the site are left out: a b x+\.\.\.\.$/)
  expect(scripts?.length).toBeLessThan(220)
})
