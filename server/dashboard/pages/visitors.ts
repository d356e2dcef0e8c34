import type { ReportView } from '../../analytics/report/report-view.ts'
import { UnusableVisitsError } from '../../analytics/unusable-visits.ts'
import { relativePath } from '../../docs/relative-path.ts'
import type { Project } from '../../tenancy/project.ts'
import type { DashboardDeps } from '../deps.ts'
import { organizationPath } from '../frame.ts'
import type { Answer, PageDefinition, Visit } from '../page.ts'
import { textField } from '../parts/field.ts'
import { html, type Markup } from '../parts/html.ts'
import { visitorTexts as texts } from '../texts/visitors.ts'
import { askForProject } from './ask-operator.ts'
import { findShownProject, listProjectChoices, projectChooser } from './project-choice.ts'
import { showLabels } from './visitors-labels.ts'
import { showPages } from './visitors-pages.ts'
import {
  chooseRange,
  type RangeName,
  readVisitorsQuestion,
  rowsPerPage,
  type VisitorsQuestion,
  visitorsLink,
} from './visitors-question.ts'
import { dayBefore, showTotals } from './visitors-totals.ts'

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
${showTotals(report)}
<p><a class="button" href="${address}&amp;download=csv">${texts.downloadCsv}</a>
<a class="button" href="${address}&amp;download=json">${texts.downloadJson}</a></p>
${showPages(visit, question, report)}
${showLabels(labels, report.cut)}`
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
