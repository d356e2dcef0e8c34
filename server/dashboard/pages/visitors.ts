import { toDay } from '../../analytics/day.ts'
import { type ComparedReport, comparisons } from '../../analytics/report/compare.ts'
import { explainAi, explainLoaded } from '../../analytics/report/explain-counts.ts'
import type { ReportView } from '../../analytics/report/report-view.ts'
import type { ReportList } from '../../analytics/report/visit-report.ts'
import { UnusableVisitsError } from '../../analytics/unusable-visits.ts'
import { filterNames, hasFilter } from '../../analytics/visit-filter.ts'
import { dayMs } from '../../base/day-ms.ts'
import { relativePath } from '../../docs/relative-path.ts'
import { type Project, usualCounting } from '../../tenancy/project.ts'
import type { DashboardDeps } from '../deps.ts'
import { organizationPath } from '../frame.ts'
import type { Answer, PageDefinition, Visit } from '../page.ts'
import { textField } from '../parts/field.ts'
import { html, type Markup } from '../parts/html.ts'
import { projectSettingsPath } from '../paths.ts'
import { whileRenewed } from '../renewal.ts'
import { showNumber } from '../texts/numbers.ts'
import { visitorTexts as texts } from '../texts/visitors.ts'
import { askForProject } from './ask-operator.ts'
import { findShownProject, listProjectChoices, projectForm } from './project-choice.ts'
import { showFigures, showSeries } from './visitor-chart.ts'
import { hiddenFields, showPages } from './visitors-pages.ts'
import {
  chooseRange,
  fewRows,
  hasToday,
  listFields,
  listOffered,
  manyRows,
  moveRange,
  presets,
  type RangeChoice,
  readVisitorsQuestion,
  type VisitorsQuestion,
  visitorsLink,
} from './visitors-question.ts'
import { type ShownReport, showAgents, showFailures, showReferrers } from './visitors-tables.ts'

/** How often the numbers of a day that is not over are read again. */
const liveMs = 60_000

/** The unique visitors of a project. It reads the counts directly, so it spends nothing of the rate limit of the API. */
export const visitorsPage: PageDefinition = { section: 'visitors', path: '/visitors', show }

async function show(visit: Visit, deps: DashboardDeps): Promise<Answer> {
  const choices = await listProjectChoices(visit, deps)
  const project = await findShownProject(visit, deps, choices)
  if (!project) return { title: texts.title, content: showNoProject(visit) }
  const question = readVisitorsQuestion(visit.query, project.id, visit.now)
  const kept = listFields(question).filter(([name]) => name !== 'project' && name !== 'part')
  const chooser = projectForm(visit, choices, { project, path: '/visitors', fields: hiddenFields(kept) })
  const tools = html`${chooser}${showTools(visit, question)}`
  if (Object.keys(question.range.problems).length > 0) return { title: texts.title, status: 400, content: tools }
  try {
    const format = visit.query.get('download')
    if (format === 'csv' || format === 'json') return await download(question, format, deps)
    const limit = question.hasAll ? manyRows : fewRows
    const report = await deps.visits.readReport({
      projectId: project.id,
      range: question.range.days,
      comparison: question.comparison,
      filter: question.filter,
      list: question.list,
      hasCoverage: question.hasCoverage,
      pages: { order: question.order, contains: question.contains, limit, offset: (question.part - 1) * limit },
    })
    const live = hasToday(question.range, visit.now) && html` data-live="${liveMs}"`
    const content = html`${tools}
<div id="report"${live}>
${showReport(visit, question, report, project)}
</div>
${live && whileRenewed(texts.renewed)}`
    return { title: texts.title, content, hasChart: true }
  } catch (error) {
    if (!(error instanceof UnusableVisitsError)) throw error
    const remedy = visit.person.organizationId === null ? error.message : texts.askOperator
    const fault = html`<div class="notice bad" role="alert"><h2>${texts.unusable}</h2><p>${remedy}</p></div>`
    return { title: texts.title, status: 503, content: html`${tools}\n${fault}` }
  }
}

async function download(
  { projectId, range, filter }: VisitorsQuestion,
  format: 'csv' | 'json',
  { visits }: DashboardDeps,
): Promise<Answer> {
  const from = range.from === '' ? '' : `-from-${range.from}`
  const to = range.to === '' ? '' : `-to-${range.to}`
  const by = filterNames.map(name => (filter[name] === undefined ? '' : `-${name}-${filter[name]}`)).join('')
  const fileName = `visitors-${projectId}${by}${from}${to}.${format}`
  if (format === 'json') {
    const body = await visits.readReportFile(projectId, range.days, hasFilter(filter) ? filter : undefined)
    return { download: { fileName, contentType: 'application/json; charset=utf-8', body } }
  }
  const body = hasFilter(filter)
    ? await visits.readPageFile(projectId, range.days, filter)
    : (await visits.readAllPages(projectId, range.days)).csv
  return { download: { fileName, contentType: 'text/csv; charset=utf-8', body } }
}

function showNoProject(visit: Visit): Markup {
  if (visit.person.organizationId !== null) return html`<p class="empty">${texts.noProject} ${askForProject(visit)}</p>`
  return html`<p class="empty">${texts.noProject} <a href="${visit.link('/projects')}">${texts.createProject}</a></p>`
}

/** Chooses the days and the comparison. Each choice is an address, so it can be kept and shared. */
function showTools(visit: Visit, question: VisitorsQuestion): Markup {
  const { range } = question
  const links = presets.map(name => {
    const address = visitorsLink(visit, question, { range: chooseRange(name, visit.now) })
    return html`<li><a href="${address}"${name === range.name && html` aria-current="true"`}>${texts.ranges[name]}</a></li>`
  })
  const kept = listFields(question).filter(([name]) => !['range', 'from', 'to', 'part'].includes(name))
  return html`<nav class="ranges" aria-label="${texts.rangeTitle}"><ul>${links}${moveLinks(visit, question)}</ul></nav>
<details class="other-days"${range.name === 'custom' && html` open`}><summary>${texts.otherDays}</summary>
<form method="get" action="${visit.link('/visitors')}" class="tools">
<input type="hidden" name="range" value="custom">${hiddenFields(kept)}
${textField({ label: texts.from, name: 'from', type: 'date', value: range.from, problem: range.problems.from })}
${textField({ label: texts.to, name: 'to', type: 'date', value: range.to, problem: range.problems.to })}
<button>${texts.show}</button>
</form>
<p class="hint">${texts.rangesHint} ${texts.openHint}</p></details>
${showComparisons(visit, question)}
${showFilter(visit, question)}`
}

/** Links to the days before the range and after it. */
function moveLinks(visit: Visit, question: VisitorsQuestion): Markup[] {
  return ([-1, 1] as const).flatMap(direction => {
    const range = moveRange(question.range, direction, visit.now)
    if (!range) return []
    const [rel, label] = direction === -1 ? ['prev', texts.earlier] : ['next', texts.later]
    return [html`<li><a rel="${rel}" href="${visitorsLink(visit, question, { range })}">${label}</a></li>`]
  })
}

/** A range without a first day has none before it. */
function showComparisons(visit: Visit, question: VisitorsQuestion): Markup | false {
  if (question.range.days.dateFrom === undefined) return false
  const choices = [undefined, ...comparisons].map(comparison => {
    const isChosen = comparison === question.comparison
    return html`<li><a href="${visitorsLink(visit, question, { comparison })}"${isChosen && html` aria-current="true"`}>${texts.comparisons[comparison ?? 'none']}</a></li>`
  })
  return html`<nav class="ranges compare" aria-label="${texts.comparisonTitle}"><ul>${choices}</ul></nav>`
}

/** Shows what the numbers are narrowed to. Each part can be removed. */
function showFilter(visit: Visit, question: VisitorsQuestion): Markup | false {
  const { filter } = question
  if (!hasFilter(filter)) return false
  const isOnly = filterNames.filter(name => filter[name] !== undefined).length === 1
  const chips = filterNames.flatMap(name => {
    const value = filter[name]
    if (value === undefined) return []
    const address = visitorsLink(visit, question, { filter: { ...filter, [name]: undefined } })
    return [
      html`<li><a class="chip"${isOnly && html` data-clear`} href="${address}" aria-label="${texts.removeFilter(texts.filters[name], value)}"><span>${texts.filters[name]}: <strong>${value}</strong></span> <span aria-hidden="true">&#215;</span></a></li>`,
    ]
  })
  const { agent, class: use, assistant, referrer, page } = filter
  const isAgent = agent !== undefined || use !== undefined
  const meaning = isAgent || assistant !== undefined || referrer !== undefined
  return html`<ul class="chips" aria-label="${texts.filterTitle}">${chips}
${!isOnly && html`<li><a data-clear href="${visitorsLink(visit, question, { filter: {} })}">${texts.removeFilters}</a></li>`}</ul>
${meaning && page === undefined && html`<p class="hint">${isAgent ? texts.filteredAgents : assistant === undefined ? texts.filteredReferrer : texts.filteredAssistant}</p>`}`
}

function showReport(visit: Visit, question: VisitorsQuestion, report: ReportView, project: Project): Markup {
  // Days before the first visit have no visitors, so a percentage would mislead.
  const compared = report.compared?.visitedFrom === null ? report.compared : null
  const shown: ShownReport = { visit, question, report: { ...report, compared } }
  const { dateFrom, dateTo, labels } = report
  if (dateFrom === null || dateTo === null) return showNobody(visit, project, question, report)
  const address = visitorsLink(visit, question)
  const tabs: Record<ReportList, (shown: ShownReport) => Markup> = {
    pages: showPages,
    agents: showAgents,
    referrers: showReferrers,
    failures: showFailures,
  }
  return html`<h2>${texts.shownDays(dateFrom, dayBefore(dateTo))}</h2>
${showLimits(shown)}
${showTotals(shown, report.compared && explainCompared(visit, question, report.compared))}
${labels.loaded > 0 && html`<p>${explainLoaded(showNumber(labels.loaded), showNumber(report.totals.human))}</p>`}
${showTabs(visit, question)}
${tabs[question.list](shown)}
<p class="buttons"><a class="button" href="${address}&amp;download=csv">${texts.downloadCsv}</a>
<a class="button" href="${address}&amp;download=json">${texts.downloadJson}</a></p>
<p class="hint">${texts.visitor(project.visitorRules)} ${explainAi(project.counting ?? usualCounting)}
<a href="${visit.link(projectSettingsPath(project.id))}">${texts.settings}</a></p>`
}

/** Says what the numbers are compared with, or why they are not. */
function explainCompared(
  visit: Visit,
  { range }: VisitorsQuestion,
  { dateFrom, dateTo, visitedFrom }: ComparedReport,
): string {
  const last = dayBefore(dateTo)
  const days = visitedFrom === null ? texts.before(dateFrom, last) : texts.notWhole(dateFrom, last, visitedFrom)
  if (!hasToday(range, visit.now)) return days
  return `${days} ${isToday(range.days, visit.now) ? texts.notOverDay : texts.notOver}`
}

/** Whether a range is only the day that is not over. */
function isToday({ dateFrom }: RangeChoice['days'], now: number): boolean {
  return dateFrom === toDay(now)
}

/** Says where the numbers are not exact. */
function showLimits({ question, report: { prunedBefore, labelledFrom, readFrom } }: ShownReport): Markup {
  const { page, ...others } = question.filter
  const hasLabels = question.list !== 'pages' || hasFilter(others)
  const hasRead = hasFilter(others) || (page !== undefined && question.list === 'agents')
  return html`${prunedBefore !== null && html`<p class="notice">${texts.pruned(prunedBefore)}</p>`}
${labelledFrom !== null && hasLabels && html`<p class="notice">${texts.unlabelled(labelledFrom)}</p>`}
${readFrom !== null && hasRead && html`<p class="notice">${texts.unreadBefore(readFrom)}</p>`}`
}

/** The date before a date. Dates that end a range are exclusive inside Quire, and inclusive for people. */
function dayBefore(date: string): string {
  return new Date(Date.parse(date) - dayMs).toISOString().slice(0, 10)
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

/** Shows the totals of a range, and its days in a chart and in a table. */
function showTotals({ visit, question, report }: ShownReport, comparison: string | null): Markup {
  const { totals, compared, series } = report
  const { human, ai, both, total } = totals
  const isPartDay = isToday(question.range.days, visit.now)
  return html`${showFigures([
    { name: texts.people, value: human, before: compared?.totals.human, isPartDay },
    { name: texts.ai, value: ai, before: compared?.totals.ai, isPartDay },
    { name: texts.total, value: total, before: compared?.totals.total, isPartDay },
  ])}
${comparison && html`<p>${comparison}</p>`}
<p class="hint">${texts.unique} ${both > 0 ? texts.both(both) : texts.noBoth}</p>
${series.periods.length > 1 && showSeries(visit, report)}`
}

function showTabs(visit: Visit, question: VisitorsQuestion): Markup {
  const links = listOffered(question.filter).map(list => {
    const address = visitorsLink(visit, question, { list, contains: '', hasAll: false, hasCoverage: false })
    return html`<li><a href="${address}#list"${list === question.list && html` aria-current="true"`}>${texts.lists[list]}</a></li>`
  })
  return html`<nav class="tabs" id="list" aria-label="${texts.listTitle}"><ul>${links}</ul></nav>`
}
