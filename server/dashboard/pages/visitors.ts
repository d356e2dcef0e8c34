import { type ComparedReport, comparisons, showChange } from '../../analytics/report/compare.ts'
import { explainAi, explainLoaded } from '../../analytics/report/explain-counts.ts'
import type { ReportView } from '../../analytics/report/report-view.ts'
import type { TotalVisitors } from '../../analytics/report/visit-report.ts'
import type { PageVisitors } from '../../analytics/unique-visitors.ts'
import { UnusableVisitsError } from '../../analytics/unusable-visits.ts'
import type { PageOrder } from '../../analytics/visit-counts.ts'
import { dayMs } from '../../base/day-ms.ts'
import { relativePath } from '../../docs/relative-path.ts'
import type { ChartData } from '../../in-page/dashboard/chart-data.ts'
import { type Project, usualCounting } from '../../tenancy/project.ts'
import type { DashboardDeps } from '../deps.ts'
import { organizationPath } from '../frame.ts'
import type { Answer, PageDefinition, Visit } from '../page.ts'
import { textField } from '../parts/field.ts'
import { html, type Markup } from '../parts/html.ts'
import { type Column, table } from '../parts/table.ts'
import { projectSettingsPath } from '../paths.ts'
import { showNumber } from '../texts/numbers.ts'
import { visitorTexts as texts } from '../texts/visitors.ts'
import { askForProject } from './ask-operator.ts'
import { findShownProject, listProjectChoices, projectChooser } from './project-choice.ts'
import { showLabels } from './visitors-labels.ts'
import {
  chooseRange,
  type RangeName,
  readVisitorsQuestion,
  rowsPerPage,
  type VisitorsQuestion,
  visitorsLink,
} from './visitors-question.ts'

/** The unique visitors of a project. It reads the counts directly, so it spends nothing of the rate limit of the API. */
export const visitorsPage: PageDefinition = { section: 'visitors', path: '/visitors', show }

async function show(visit: Visit, deps: DashboardDeps): Promise<Answer> {
  const choices = await listProjectChoices(visit, deps)
  const project = await findShownProject(visit, deps, choices)
  if (!project) return { title: texts.title, content: showNoProject(visit) }
  const question = readVisitorsQuestion(visit.query, project.id, visit.now)
  const tools = showTools(visit, projectChooser(visit, choices, project), question)
  if (Object.keys(question.range.problems).length > 0) return { title: texts.title, status: 400, content: tools }
  try {
    const format = visit.query.get('download')
    if (format === 'csv' || format === 'json') return await download(question, format, deps)
    const report = await deps.visits.readReport({
      projectId: project.id,
      range: question.range.days,
      comparison: question.comparison,
      pages: {
        order: question.order,
        contains: question.contains,
        limit: rowsPerPage,
        offset: (question.page - 1) * rowsPerPage,
      },
    })
    const content = html`${tools}\n${showReport(visit, project, question, report)}`
    return { title: texts.title, content, hasChart: true }
  } catch (error) {
    if (!(error instanceof UnusableVisitsError)) throw error
    const remedy = visit.person.organizationId === null ? error.message : texts.askOperator
    const fault = html`<div class="notice bad" role="alert"><h2>${texts.unusable}</h2><p>${remedy}</p></div>`
    return { title: texts.title, status: 503, content: html`${tools}\n${fault}` }
  }
}

async function download(
  { projectId, range }: VisitorsQuestion,
  format: 'csv' | 'json',
  { visits }: DashboardDeps,
): Promise<Answer> {
  const from = range.from === '' ? '' : `-from-${range.from}`
  const to = range.to === '' ? '' : `-to-${range.to}`
  const fileName = `visitors-${projectId}${from}${to}.${format}`
  if (format === 'json') {
    const body = await visits.readReportFile(projectId, range.days)
    return { download: { fileName, contentType: 'application/json; charset=utf-8', body } }
  }
  const { csv } = await visits.readAllPages(projectId, range.days)
  return { download: { fileName, contentType: 'text/csv; charset=utf-8', body: csv } }
}

function showNoProject(visit: Visit): Markup {
  if (visit.person.organizationId !== null) return html`<p class="empty">${texts.noProject} ${askForProject(visit)}</p>`
  return html`<p class="empty">${texts.noProject} <a href="${visit.link('/projects')}">${texts.createProject}</a></p>`
}

/** Chooses the project and the days. Each choice is an address, so it can be kept and shared. */
function showTools(visit: Visit, project: Markup, question: VisitorsQuestion): Markup {
  const { range } = question
  const names = (Object.keys(texts.ranges) as RangeName[]).filter(name => name !== 'custom')
  const links = names.map(name => {
    const address = visitorsLink(visit, question, { range: chooseRange(name, visit.now) })
    return html`<li><a href="${address}"${name === range.name && html` aria-current="true"`}>${texts.ranges[name]}</a></li>`
  })
  return html`<nav class="ranges" aria-label="${texts.rangeTitle}"><ul>${links}</ul></nav>
<form method="get" action="${visit.link('/visitors')}" class="tools">
${project}<input type="hidden" name="range" value="custom">
${textField({ label: texts.from, name: 'from', type: 'date', value: range.from, problem: range.problems.from })}
${textField({ label: texts.to, name: 'to', type: 'date', value: range.to, problem: range.problems.to })}
<button>${texts.show}</button>
</form>
<p class="hint">${texts.rangesHint} ${texts.openHint}</p>`
}

function showReport(visit: Visit, project: Project, question: VisitorsQuestion, report: ReportView): Markup {
  const { dateFrom, dateTo, prunedBefore, labelledFrom, labels } = report
  if (dateFrom === null || dateTo === null || isEmpty(report)) return showNobody(visit, project, question, report)
  const address = visitorsLink(visit, question)
  return html`<h2>${texts.shownDays(dateFrom, dayBefore(dateTo))}</h2>
${prunedBefore !== null && html`<p class="notice">${texts.pruned(prunedBefore)}</p>`}
${labelledFrom !== null && html`<p class="notice">${texts.unlabelled(labelledFrom)}</p>`}
${showComparisons(visit, question)}
${showTotals(report)}
${labels.loaded > 0 && html`<p>${explainLoaded(showNumber(labels.loaded), showNumber(report.totals.human))}</p>`}
<p>${texts.visitor(project.visitorRules)} ${explainAi(project.counting ?? usualCounting)}
<a href="${visit.link(projectSettingsPath(project.id))}">${texts.settings}</a></p>
<p><a class="button" href="${address}&amp;download=csv">${texts.downloadCsv}</a>
<a class="button" href="${address}&amp;download=json">${texts.downloadJson}</a></p>
${showPages(visit, question, report)}
${showLabels(report)}`
}

/** The date before a date. Dates that end a range are exclusive inside Quire, and inclusive for people. */
function dayBefore(date: string): string {
  return new Date(Date.parse(date) - dayMs).toISOString().slice(0, 10)
}

/** Programs that are neither people nor AI may have come although nobody else did. */
function isEmpty({ totals, labels }: ReportView): boolean {
  return totals.total === 0 && labels.neither.length === 0 && labels.files.length === 0
}

function showNobody(visit: Visit, { id, name }: Project, question: VisitorsQuestion, { visited }: ReportView): Markup {
  if (visited) {
    const all = visitorsLink(visit, question, { range: chooseRange('all', visit.now) })
    return html`<p class="empty">${texts.nobody(name)} ${texts.visited(visited.first, visited.last)} <a href="${all}">${texts.showAll}</a></p>`
  }
  const pagePath = organizationPath(visit.organization.id, '/visitors')
  return html`<div class="empty"><p>${texts.neverVisited}</p>
<pre tabindex="0"><code>${texts.importCommand(id)}</code></pre>
<p><a href="${relativePath(pagePath, '/docs/visitors')}">${texts.importHelp}</a></p></div>`
}

/** A range without a first day has none before it. */
function showComparisons(visit: Visit, question: VisitorsQuestion): Markup | false {
  if (question.range.days.dateFrom === undefined) return false
  const choices = [undefined, ...comparisons].map(comparison => {
    const isChosen = comparison === question.comparison
    return html`<li><a href="${visitorsLink(visit, question, { comparison })}"${isChosen && html` aria-current="true"`}>${texts.comparisons[comparison ?? 'none']}</a></li>`
  })
  return html`<nav class="ranges" aria-label="${texts.comparisonTitle}"><ul>${choices}</ul></nav>`
}

/** Shows the totals of a range, and its days in a chart and in a table. */
function showTotals({ totals, series, compared }: ReportView): Markup {
  return html`${showFigures(totals, compared)}\n${series.periods.length > 1 && showSeries(series)}`
}

function showFigures({ human, ai, both, total }: TotalVisitors, compared: ComparedReport | null): Markup {
  const figures = [
    [texts.people, human, compared?.totals.human],
    [texts.ai, ai, compared?.totals.ai],
    [texts.total, total, compared?.totals.total],
  ] as const
  const days = compared && texts.before(compared.dateFrom, dayBefore(compared.dateTo), compared.visitedFrom)
  return html`<ul class="cards">${figures.map(
    ([name, value, before]) =>
      html`<li><h3>${name}</h3><span class="figure">${showNumber(value)}</span>${before !== undefined && html`<p>${texts.change(showChange(value, before), before)}</p>`}</li>`,
  )}</ul>
${days && html`<p>${days}</p>`}
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

/** Shows some of the pages of a site with their visitors. Its headings sort all pages of the range, not only the shown ones. */
function showPages(visit: Visit, question: VisitorsQuestion, { pages, matching, compared }: ReportView): Markup {
  const { order, contains } = question
  const barKind = order === 'path' ? 'total' : order
  const before = new Map(compared?.pages.map(page => [page.path, page[barKind]]))
  const change: Column<PageVisitors> = {
    heading: texts.changeHeading,
    isNumber: true,
    show: page => showChange(page[barKind], before.get(page.path) ?? 0),
  }
  const max = Math.max(1, ...pages.map(page => page[barKind]))
  return html`<h2 id="pages">${texts.pagesTitle}</h2>
${showFinder(visit, question)}
${table(pages, {
  caption: texts.pagesTitle,
  empty: contains === '' ? texts.noPages : texts.noMatch(contains),
  columns: [
    sortedColumn(visit, question, 'path', { heading: texts.path, show: ({ path }) => html`<code>${path}</code>` }),
    sortedColumn(visit, question, 'total', countColumn(texts.total, 'total')),
    sortedColumn(visit, question, 'human', countColumn(texts.people, 'human')),
    sortedColumn(visit, question, 'ai', countColumn(texts.ai, 'ai')),
    ...(compared ? [change] : []),
    { heading: '', show: page => bar(page[barKind], max) },
  ],
})}
${showPaging(visit, question, matching)}`
}

function countColumn(heading: string, kind: 'human' | 'ai' | 'total'): Column<PageVisitors> {
  return { heading, isNumber: true, show: page => showNumber(page[kind]) }
}

function sortedColumn(
  visit: Visit,
  question: VisitorsQuestion,
  order: PageOrder,
  column: Column<PageVisitors>,
): Column<PageVisitors> {
  const sort = {
    address: `${visitorsLink(visit, question, { order })}#pages`,
    name: texts.sortBy(column.heading),
    ...(question.order === order && { is: order === 'path' ? ('ascending' as const) : ('descending' as const) }),
  }
  return { ...column, sort }
}

/** Repeats the number beside it, so screen readers leave it out. */
function bar(value: number, max: number): Markup {
  return html`<meter min="0" max="${max}" value="${value}" aria-hidden="true"></meter>`
}

function showFinder(
  visit: Visit,
  { projectId, range, order, contains, comparison, ...rest }: VisitorsQuestion,
): Markup {
  const kept: [string, string][] = [
    ['project', projectId],
    ['range', range.name],
    ['sort', order],
  ]
  if (range.name === 'custom') kept.push(['from', range.from], ['to', range.to])
  if (comparison) kept.push(['compare', comparison])
  const every = visitorsLink(visit, { projectId, range, order, comparison, ...rest, contains: '' })
  return html`<form method="get" action="${visit.link('/visitors')}#pages" class="tools" role="search">
${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<div class="field"><label for="find">${texts.find}</label>
<input id="find" type="search" name="find" value="${contains}" maxlength="200" autocomplete="off"></div>
<button>${texts.findButton}</button>
${contains !== '' && html`<a href="${every}#pages">${texts.everyPage}</a>`}
</form>`
}

function showPaging(visit: Visit, question: VisitorsQuestion, matching: number): Markup {
  const { page } = question
  const first = (page - 1) * rowsPerPage + 1
  const last = Math.min(page * rowsPerPage, matching)
  const address = (page: number) => `${visitorsLink(visit, question, { page })}#pages`
  const lastPage = Math.max(1, Math.ceil(matching / rowsPerPage))
  return html`<nav class="paging" aria-label="${texts.paging}">
${first <= last && html`<span>${texts.shownRows(showNumber(first), showNumber(last), showNumber(matching))}</span>`}
${page > 1 && html`<a class="button" rel="prev" href="${address(Math.min(page - 1, lastPage))}">${texts.previous}</a>`}
${last < matching && html`<a class="button" rel="next" href="${address(page + 1)}">${texts.next}</a>`}
</nav>`
}
