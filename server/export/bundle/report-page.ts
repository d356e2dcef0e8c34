import type { ProductCount } from '../../products/product-removal.ts'
import { type ExportReport, maxExcludedPages } from '../model/report.ts'
import { describeOutcome, describeVerdict } from './describe-outcome.ts'
import { describeOfflineSearch } from './describe-search.ts'

/** Sentences about where the site's own scripts run, by mode. */
const modes = {
  none: 'These pages contain no scripts of the site.',
  everywhere: 'The site’s own scripts run wherever the bundle is opened.',
  hosted:
    'The site’s own scripts run where the bundle is served by a host, at its root or in a folder. When opened from file://, the pages are plain and readable, without the site’s search.',
  guarded:
    'The site’s own scripts run where the bundle is served from the root of a host. When opened from a folder of a host or from file://, the pages are plain and readable, without the site’s search.',
  frozen: 'The site’s own scripts failed the check and are left out.',
}

const style = `body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid #8884; overflow-wrap: anywhere; white-space: pre-line }
th[scope=row] { white-space: nowrap }
summary { cursor: pointer; font-weight: 600; padding: .25rem 0 }
h1, p, li, summary { overflow-wrap: anywhere }
.verdict { font-size: 1.25rem; font-weight: 600 }
@media (max-width: 40rem) { table { table-layout: fixed } th[scope=row] { white-space: normal } }
`

/** Writes the report as a page for people. The page loads no files and runs no scripts. */
export function writeReportPage(report: ExportReport): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Export report: ${toHtml(report.domain)}</title>
<link rel="icon" href="data:,">
<style>
${style}</style>
</head>
<body>
<h1>Export report</h1>
${writeOutcome(report)}<table>
${listFacts(report)
  .map(([name, value]) => `<tr><th scope="row">${toHtml(name)}</th><td>${toHtml(value)}</td></tr>`)
  .join('\n')}
</table>
${listTables(report)
  .filter(list => list !== '')
  .join('\n')}
<p>Machine-readable: <a href="export-report.json">export-report.json</a></p>
</body>
</html>
`
}

/** Writes the verdict, the notes, and what was lost, removed and frozen. */
function writeOutcome(report: ExportReport): string {
  const sentences = [...report.notes, ...describeOutcome(report)]
  const verdict = `<p class="verdict">${describeVerdict(sentences)}</p>\n`
  if (sentences.length === 0) return verdict
  return `${verdict}<ul>\n${sentences.map(sentence => `<li>${toHtml(sentence)}</li>`).join('\n')}\n</ul>\n`
}

function listFacts(report: ExportReport): [string, string][] {
  const { scripts } = report
  return [
    ['Site', report.domain],
    ['Version', report.version ?? 'none given'],
    ['Deployment', report.deployment],
    ['Pages', String(report.pages)],
    ['Other files', String(report.files)],
    ['Dead links', String(report.deadLinks.length)],
    ['Scripts', modes[scripts.mode]],
    ...(scripts.reason === null ? [] : ([['Why', scripts.reason]] as [string, string][])),
    ...(scripts.mode === 'none' ? [] : [describeDecision(scripts)]),
    ['Search offline', describeOfflineSearch(report)],
  ]
}

/** Says what decided where the scripts run. Without scripts, there was nothing to decide. */
function describeDecision({ decidedBy }: ExportReport['scripts']): [string, string] {
  return ['Decided by', decidedBy === 'browser' ? 'opening pages in a browser' : 'rules, without a browser']
}

/** Lists the groups of pages, and the pages that are unlike their group; none when all pages have one decision. */
function listGroups({ scripts: { groups } }: ExportReport): string[][] {
  if (groups.length < 2 && groups.every(({ unlike }) => unlike.length === 0)) return []
  return groups.flatMap(({ pages, example, mode, reason, unlike }) => [
    [String(pages), example, modes[mode], reason ?? ''],
    ...unlike.map(alone => ['1 of them', alone.page, modes[alone.mode], alone.reason ?? '']),
  ])
}

function listTables(report: ExportReport): string[] {
  return [
    writeTable(
      'Where scripts run, by group of like pages',
      ['Pages', 'Such as', 'Where', 'Why'],
      listGroups(report),
      row => row,
    ),
    writeTable(
      'Pages that differ from the origin',
      ['Page', 'Place', 'What', 'Words shown'],
      report.differences,
      row => [row.page, row.place, row.what, row.loss ? `${row.loss.of - row.loss.words} of ${row.loss.of}` : ''],
    ),
    writeTable('Addresses that do not resolve in the bundle', ['Page', 'Address'], report.unresolved, row => [
      row.page,
      row.address,
    ]),
    writeTable('Links to missing pages', ['Address', 'Why', 'Pages', 'Such as'], report.deadLinks, row => [
      row.to,
      row.reason,
      String(row.count),
      row.pages.join('\n'),
    ]),
    writeTable('Files that could not be fetched', ['Address', 'Why', 'Pages', 'Such as'], report.missingFiles, row => [
      row.url,
      row.reason,
      String(row.count),
      row.pages.join('\n'),
    ]),
    writeTable('Pages left out', ['Address', 'Why'], report.skipped, row => [row.url, row.reason]),
    writeTable(
      'Pages excluded by your rules',
      ['Address', 'Rule'],
      report.excludedPages,
      row => [row.url, row.pattern],
      maxExcludedPages,
    ),
    writeTable('Redirects', ['From', 'To'], report.redirects, row => [row.from, row.to]),
    writeTable('Products removed', productHeads, report.removedFeatures, productCells),
    writeTable(
      'API references kept as text, without what sends requests and with tabs that do nothing',
      ['Page', 'Product', 'Removed parts'],
      report.frozenReferences,
      ({ page, product, removed }) => [page, product, removed.join(', ')],
    ),
    writeTable('Products kept, loaded from their vendors', productHeads, report.keptFeatures, productCells),
    writeTable('Packed files of other sites', ['Address'], report.packedThirdParty, row => [row]),
    writeTable('Omitted files of other sites', ['Address', 'Why'], report.removedThirdParty, row => [
      row.url,
      row.reason,
    ]),
    writeTable('Pages rendered by a browser', ['Page'], report.renderedPages, row => [row]),
    writeTable('Pages compared with what a browser shows', ['Page'], [...new Set([...report.comparedPages])], row => [
      row,
    ]),
    writeTable('Pages opened in a browser after packing', ['Page'], report.scripts.checkedPages, row => [row]),
    writeTable('Of these, pages that nothing was learned from', ['Page'], report.scripts.heldOutPages, row => [row]),
  ]
}

const productHeads = ['Product', 'Feature', 'Pages']

function productCells({ product, feature, pages }: ProductCount): string[] {
  return [product, feature ?? 'removed by a rule of the site', String(pages)]
}

/** Max rows shown of one table. export-report.json has all rows. */
const maxRows = 500

/**
 * Writes a list as a collapsible table. Returns an empty string for an empty list.
 *
 * @param mostListed a list with so many rows may have lost others; absent = it is whole.
 */
function writeTable<T>(
  title: string,
  heads: string[],
  rows: readonly T[],
  cells: (row: T) => string[],
  mostListed = Number.POSITIVE_INFINITY,
): string {
  if (rows.length === 0) return ''
  const shown = rows.slice(0, maxRows)
  const rest = rows.length - shown.length
  return `<details>
<summary>${toHtml(title)} (${rows.length >= mostListed ? 'at least ' : ''}${rows.length})</summary>
<table>
<tr>${heads.map(head => `<th scope="col">${toHtml(head)}</th>`).join('')}</tr>
${shown
  .map(
    row =>
      `<tr>${cells(row)
        .map(cell => `<td>${toHtml(cell)}</td>`)
        .join('')}</tr>`,
  )
  .join('\n')}
</table>${rest > 0 ? `\n<p>${rest} more are in export-report.json.</p>` : ''}
</details>`
}

/** Escapes text for HTML. */
function toHtml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;')
}
