import type { ReportView } from '../../analytics/report/report-view.ts'
import type { TotalVisitors } from '../../analytics/report/visit-report.ts'
import { dayMs } from '../../base/day-ms.ts'
import type { ChartData } from '../../in-page/dashboard/chart-data.ts'
import { html, type Markup } from '../parts/html.ts'
import { table } from '../parts/table.ts'
import { showNumber } from '../texts/numbers.ts'
import { visitorTexts as texts } from '../texts/visitors.ts'

/** Shows the totals of a range, and its days in a chart and in a table. */
export function showTotals({ totals, series }: ReportView): Markup {
  return html`${showFigures(totals)}\n${series.periods.length > 1 && showSeries(series)}`
}

/** The date before a date. Dates that end a range are exclusive inside Quire, and inclusive for people. */
export function dayBefore(date: string): string {
  return new Date(Date.parse(date) - dayMs).toISOString().slice(0, 10)
}

function showFigures({ human, ai, both, total }: TotalVisitors): Markup {
  const figures = [
    [texts.people, human],
    [texts.ai, ai],
    [texts.total, total],
  ] as const
  return html`<ul class="cards">${figures.map(
    ([name, value]) => html`<li><h3>${name}</h3><span class="figure">${showNumber(value)}</span></li>`,
  )}</ul>
<p>${texts.unique} ${both > 0 ? texts.both(both) : texts.noBoth}</p>`
}

function showSeries({ by, periods }: ReportView['series']): Markup {
  const chart: ChartData = {
    days: periods.map(({ dateFrom }) => Date.parse(dateFrom) / 1000),
    series: [
      { label: texts.total, values: periods.map(({ total }) => total), colour: 'total' },
      { label: texts.people, values: periods.map(({ human }) => human), colour: 'human' },
      { label: texts.ai, values: periods.map(({ ai }) => ai), colour: 'ai' },
    ],
  }
  return html`<h2>${texts.chartTitle[by]}</h2>
<div class="chart" role="img" aria-label="${texts.chartName[by]}. ${texts.chartTable}." data-chart="${JSON.stringify(chart)}"><noscript>${texts.noScript}</noscript></div>
<details class="sample"><summary>${texts.chartTable}</summary>
<p>${texts.chartNote(by)}</p>
${table(periods, {
  caption: texts.chartName[by],
  empty: texts.noPages,
  columns: [
    { heading: texts.periods[by], show: ({ dateFrom }) => dateFrom },
    { heading: texts.people, isNumber: true, show: ({ human }) => showNumber(human) },
    { heading: texts.ai, isNumber: true, show: ({ ai }) => showNumber(ai) },
    { heading: texts.total, isNumber: true, show: ({ total }) => showNumber(total) },
  ],
})}</details>`
}
