import { BoundedCache } from '../../base/bounded-cache.ts'
import { describeOutcome, describeVerdict } from '../../export/bundle/describe-outcome.ts'
import { describeOfflineSearch } from '../../export/bundle/describe-search.ts'
import { readBundleReport } from '../../export/check/bundle-report.ts'
import type { Bundle } from '../../export/jobs/export-job.ts'
import type { ExportReport } from '../../export/model/report.ts'
import type { DashboardDeps } from '../deps.ts'
import { type Fragment, html, type Markup } from '../parts/html.ts'
import { table } from '../parts/table.ts'
import { startTexts, reportTexts as texts } from '../texts/exports.ts'

const maxRows = 100
/** Reports as HTML, by the SHA-256 of the bundle: a bundle never changes, and to find the report in a large one takes seconds. */
const shownReports = new BoundedCache<string, Markup>(50)

/** Shows what an export removed and lost. A bundle that is missing or damaged gets a sentence. */
export async function showReport({ bundles }: Pick<DashboardDeps, 'bundles'>, bundle: Bundle): Promise<Fragment> {
  if ((await bundles.check(bundle)) !== 'sound') return html`<h2>${texts.title}</h2><p>${texts.unreadable}</p>`
  const known = shownReports.get(bundle.sha256)
  if (known) return known
  const report = await bundles.withFile(bundle.fileName, readBundleReport)
  if (typeof report === 'string') return html`<h2>${texts.title}</h2><p>${texts.unreadable} ${report}</p>`
  const shown = writeReport(report)
  shownReports.set(bundle.sha256, shown)
  return shown
}

function writeReport(report: ExportReport): Markup {
  const sentences = [...report.notes, ...describeOutcome(report)]
  return html`<h2>${texts.title}</h2>
<p><strong>${describeVerdict(sentences)}</strong></p>
${sentences.length > 0 && html`<ul>${sentences.map(sentence => html`<li>${sentence}</li>`)}</ul>`}
<p>${texts.search} ${describeOfflineSearch(report)}.</p>
${listTables(report)}
<p class="hint">${texts.whole}</p>`
}

function listTables(report: ExportReport): Markup {
  const { tables, columns } = texts
  const products = [
    { heading: columns.product, show: ({ product }: Product) => product },
    {
      heading: columns.feature,
      show: ({ feature }: Product) => (feature ? startTexts.features[feature] : texts.byRule),
    },
    { heading: columns.pages, isNumber: true, show: ({ pages }: Product) => pages },
  ]
  const lacking = [
    { heading: columns.why, isText: true, show: ({ reason }: Lacking) => reason },
    { heading: columns.pages, isNumber: true, show: ({ count }: Lacking) => count },
    { heading: columns.example, isText: true, show: ({ pages }: Lacking) => pages[0] },
  ]
  return html`${fold(tables.removed, report.removedFeatures, products)}
${fold(tables.dead, report.deadLinks, [{ heading: columns.address, show: ({ to }: ExportReport['deadLinks'][number]) => to }, ...lacking])}
${fold(tables.differing, report.differences, [
  { heading: columns.page, show: ({ page }) => page },
  { heading: columns.place, show: ({ place }) => texts.places[place] },
  { heading: columns.what, isText: true, show: ({ what }) => what },
])}
${fold(tables.lost, report.skipped, [
  { heading: columns.address, show: ({ url }) => url },
  { heading: columns.why, isText: true, show: ({ reason }) => reason },
])}
${fold(tables.missing, report.missingFiles, [{ heading: columns.address, show: ({ url }: ExportReport['missingFiles'][number]) => url }, ...lacking])}
${fold(tables.kept, report.keptFeatures, products)}`
}

type Product = ExportReport['removedFeatures'][number]
type Lacking = Pick<ExportReport['deadLinks'][number], 'reason' | 'count' | 'pages'>

/** A table that can be unfolded, with its number of rows; nothing for no rows. */
function fold<Row>(
  title: string,
  rows: readonly Row[],
  columns: Parameters<typeof table<Row>>[1]['columns'],
): Fragment {
  if (rows.length === 0) return false
  const rest = rows.length - maxRows
  return html`<details class="sample"><summary>${title} (${rows.length})</summary>
${table(rows.slice(0, maxRows), { caption: title, empty: '', columns })}
${rest > 0 && html`<p>${texts.rest(rest)}</p>`}</details>`
}
