import { expect, test } from 'vitest'
import { summarize } from '../../server/commands/export-summary.ts'
import { type ExportReport, notJudged } from '../../server/export/model/report.ts'

const report: ExportReport = {
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
  scripts: notJudged,
}
const result = { pageCount: 3, sizeBytes: 3 * 1024 ** 2, sha256: 'abc', stageSeconds: {}, browserProblem: null }
const lines = (changes: Partial<ExportReport>) =>
  summarize('docs.zip', { ...result, report: { ...report, ...changes } }, 1.25).split('\n')

test('names the archive, and nothing else when nothing was lost', () => {
  expect(lines({})).toEqual(['docs.zip: 3 pages, 3.0 MB, 1.3 s', 'sha256 abc'])
})

test('prints notes, then what was lost, and where the rest is', () => {
  const skipped = [{ url: '/a\u001b[31m', reason: 'status 500' }]
  expect(lines({ notes: ['Lost text: a note.'], skipped }).slice(2)).toEqual([
    'Lost text: a note.',
    '1 page was left out: /a\\u001b[31m (status 500).',
    'export-report.html in the bundle has the details.',
  ])
})

test('prints at most 12 lines', () => {
  const all = lines({
    notes: Array.from({ length: 5 }, (_, index) => `Note ${index}.`),
    skipped: [{ url: '/a', reason: 'x' }],
    deadLinks: [{ to: '/a', reason: 'x', count: 1, pages: [] }],
    missingFiles: [{ url: '/a', reason: 'x', count: 1, pages: [] }],
    unresolved: [{ page: 'a', address: 'b' }],
    removedFeatures: [{ product: 'Ask', feature: 'assistant', pages: 1 }],
    removedThirdParty: [{ url: 'https://x.test/', reason: 'x' }],
    excludedPages: [{ url: '/a', pattern: '/a' }],
    renderedPages: ['/a'],
  })
  expect(all).toHaveLength(12)
  expect(all.at(-1)).toBe('export-report.html in the bundle has 4 more notes and the details.')
})
