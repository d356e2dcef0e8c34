import { toDay } from '../../analytics/day.ts'
import { showChange } from '../../analytics/report/compare.ts'
import type { ReportView } from '../../analytics/report/report-view.ts'
import type { VisitorCounts } from '../../analytics/unique-visitors.ts'
import { dayMs } from '../../base/day-ms.ts'
import type { ChartData } from '../../in-page/dashboard/chart-data.ts'
import type { Visit } from '../page.ts'
import { html, type Markup } from '../parts/html.ts'
import { type Column, table } from '../parts/table.ts'
import { showNumber } from '../texts/numbers.ts'
import { visitorTexts as texts } from '../texts/visitors.ts'

/** A number with its name, and that of the range before. */
export interface Figure {
  name: string
  value: number
  before?: number | undefined
  /** Whether the value is of a day that is not over, and `before` of a whole day: then a percentage would mislead. */
  isPartDay?: boolean
}

/** Shows numbers as cards. */
export function showFigures(figures: readonly Figure[]): Markup {
  return html`<ul class="cards figures">${figures.map(
    ({ name, value, before, isPartDay = false }) =>
      html`<li><h3>${name}</h3><span class="figure">${showNumber(value)}</span>${before !== undefined && html`<p>${isPartDay ? texts.wholeDay(before) : texts.change(showChange(value, before), before)}</p>`}</li>`,
  )}</ul>`
}

interface ChartedReport {
  series: ReportView['series']
  totals: VisitorCounts
  compared?: { totals: VisitorCounts; periods: readonly VisitorCounts[] } | null
}

/**
 * Shows the visitors of each period as stacked bars: people below, AI above; and those of the range before as a line. A table has the
 * same numbers.
 */
export function showSeries({ now }: Visit, { series: { by, periods }, totals, compared }: ChartedReport): Markup {
  const isUnfinished = (dateTo: string) => Date.parse(dateTo) / dayMs > toDay(now)
  const before = compared?.periods
  const chart: ChartData = {
    days: periods.map(({ dateFrom }) => Date.parse(dateFrom) / 1000),
    human: periods.map(({ human }) => human),
    ai: periods.map(({ ai }) => ai),
    total: periods.map(({ total }) => total),
    ...(before && { before: before.map(({ total }) => total) }),
    isUnfinished: isUnfinished(periods.at(-1)?.dateTo ?? ''),
    labels: { human: texts.people, ai: texts.ai, total: texts.total, before: texts.totalBefore, soFar: texts.soFar },
  }
  const rows = periods.map((period, i) => ({ ...period, before: before?.[i]?.total }))
  return html`<h2>${texts.chartTitle[by]}</h2>
<ul class="legend"><li class="human">${texts.people} <strong>${showNumber(totals.human)}</strong></li>
<li class="ai">${texts.ai} <strong>${showNumber(totals.ai)}</strong></li>
${compared && html`<li class="before">${texts.totalBefore} <strong>${showNumber(compared.totals.total)}</strong></li>`}</ul>
<p class="hint">${texts.chartNote(by)}</p>
<div class="chart" role="img" aria-label="${texts.chartName[by]}. ${texts.chartTable}." data-chart="${JSON.stringify(chart)}"><noscript>${texts.noScript}</noscript></div>
<details class="sample"><summary>${texts.chartTable}</summary>
${table(rows, {
  caption: texts.chartName[by],
  empty: texts.noPages,
  columns: [
    {
      heading: texts.periods[by],
      show: ({ dateFrom, dateTo }) => `${dateFrom}${isUnfinished(dateTo) ? ` (${texts.soFar})` : ''}`,
    },
    { heading: texts.people, isNumber: true, show: ({ human }) => showNumber(human) },
    { heading: texts.ai, isNumber: true, show: ({ ai }) => showNumber(ai) },
    { heading: texts.total, isNumber: true, show: ({ total }) => showNumber(total) },
    ...(before ? [beforeColumn] : []),
  ],
})}</details>`
}

const beforeColumn: Column<ReportView['series']['periods'][number] & { before: number | undefined }> = {
  heading: texts.totalBefore,
  isNumber: true,
  show: ({ before }) => (before === undefined ? '' : showNumber(before)),
}
