import { expect, test } from 'vitest'
import { writeReportPage } from '../../../server/export/bundle/report-page.ts'
import type { ExportReport } from '../../../server/export/model/report.ts'

const report = {
  domain: 'docs.example.com',
  version: null,
  deployment: 'air-gapped',
  pages: 3,
  files: 4,
  renderedPages: [],
  comparedPages: [],
  redirects: [],
  deadLinks: [{ to: '/<script>alert(1)</script>', reason: 'status 404', count: 600, pages: ['a.html'] }],
  missingFiles: [],
  skipped: [],
  excludedPages: [],
  removedFeatures: [{ product: 'Ask <us>', feature: 'assistant', pages: 2 }],
  frozenReferences: [{ page: '/api/', product: 'Swagger UI', removed: ['Authorize', 'Try it out'] }],
  keptFeatures: [{ product: 'a counter', feature: null, pages: 3 }],
  packedThirdParty: Array.from({ length: 501 }, (_, index) => `https://cdn.example/${index}.js`),
  removedThirdParty: [],
  unresolved: [],
  scripts: {
    mode: 'frozen',
    reason: 'index.html: an error',
    groups: [],
    decidedBy: 'browser',
    checkedPages: ['index.html'],
    heldOutPages: [],
    originFaults: [],
  },
  differences: [],
  notes: [],
} as Partial<ExportReport> as ExportReport

test('the page loads nothing, runs no scripts and shows addresses as text', () => {
  const html = writeReportPage(report)
  expect(html).toContain(`content="default-src 'none'`)
  expect(html).not.toMatch(/<script/)
  expect(html).toContain('/&lt;script&gt;alert(1)&lt;/script&gt;')
  expect(html).toContain('index.html: an error')
})

test('shows only lists that have entries, and only the beginning of long lists', () => {
  const html = writeReportPage(report)
  expect(html).toContain('Links to missing pages (1)')
  expect(html).toContain('<td>Ask &lt;us&gt;</td><td>assistant</td><td>2</td>')
  expect(html).toContain('<td>a counter</td><td>removed by a rule of the site</td><td>3</td>')
  expect(html).not.toContain('Redirects')
  expect(html).toContain('1 more are in export-report.json')
})

test('the verdict comes first', () => {
  const verdict = (given: ExportReport) => /<p class="verdict">(.*)<\/p>/.exec(writeReportPage(given))?.[1]
  expect(verdict(report)).toBe('4 things to look at')
  const scripts = { ...report.scripts, mode: 'everywhere' as const }
  const whole = { ...report, deadLinks: [], removedFeatures: [], frozenReferences: [], scripts }
  expect(verdict(whole)).toBe(
    'Complete: nothing was lost, removed or changed. The bundle has everything that the site has.',
  )
})

test('a list that was cut says so', () => {
  const excluded = (count: number) =>
    writeReportPage({
      ...report,
      excludedPages: Array.from({ length: count }, (_, at) => ({ url: `/${at}`, pattern: '/*' })),
    })
  expect(excluded(999)).toContain('Pages excluded by your rules (999)')
  expect(excluded(999)).toContain('<li>999 pages were excluded')
  expect(excluded(1000)).toContain('Pages excluded by your rules (at least 1000)')
  expect(excluded(1000)).toContain('<li>At least 1000 pages were excluded')
})
