import { formatDay, toDay } from '../../analytics/day.ts'
import { showChange } from '../../analytics/report/compare.ts'
import type { FailedPages } from '../../analytics/report/failed-report.ts'
import type { PageChange, ProjectReaders } from '../../analytics/report/project-readers.ts'
import { UnusableVisitsError } from '../../analytics/unusable-visits.ts'
import type { ExportJob } from '../../export/jobs/export-job.ts'
import type { Project } from '../../tenancy/project.ts'
import type { SiteSchedule } from '../../tenancy/site-schedule.ts'
import type { DashboardDeps } from '../deps.ts'
import type { Visit } from '../page.ts'
import { type Fragment, html, type Markup } from '../parts/html.ts'
import { type Column, table } from '../parts/table.ts'
import { exportPath, sitePath } from '../paths.ts'
import { showNumber } from '../texts/numbers.ts'
import { overviewTexts as texts } from '../texts/overview.ts'
import { visitorTexts } from '../texts/visitors.ts'
import { showFigures, showSeries } from './visitor-chart.ts'

/** Paths in an alert, and alerts of exports. */
const maxNamed = 3

/** Reads the readers of a project; undefined if its visits cannot be read. */
export async function readReaders(
  { id }: Project,
  now: number,
  { visits }: Pick<DashboardDeps, 'visits'>,
): Promise<ProjectReaders | undefined> {
  try {
    return await visits.readProjectReaders(id, toDay(now))
  } catch (error) {
    if (error instanceof UnusableVisitsError) return undefined
    throw error
  }
}

/** Says what needs attention, each in one line with its remedy. */
export function showAlerts(
  visit: Visit,
  found: { problems: readonly string[]; exports: readonly ExportJob[]; refused: readonly SiteSchedule[] },
): Markup | false {
  const bad = (content: Fragment) => html`<li class="bad">${content}</li>`
  const link = (path: string, label: string) => html`<a href="${visit.link(path)}">${label}</a>`
  const failed = listFailedExports(found.exports).map(({ jobId, request, error }) =>
    bad(html`${texts.exportFailed(request.domain)} ${error} ${link(exportPath(jobId), texts.seeExport)}`),
  )
  const refused = listUnstarted(found.refused, found.exports).map(({ domain, outcome }) => {
    const schedule = html`<a href="${visit.link(sitePath(domain))}#schedule">${texts.seeSchedule}</a>`
    return bad(html`${texts.notStarted(domain)} ${outcome?.problem} ${schedule}`)
  })
  const more = (all: number) => Math.max(0, all - maxNamed)
  const moreFailed = more(failed.length)
  const moreRefused = more(refused.length)
  return listAlerts(texts.alerts, [
    ...found.problems.map(bad),
    ...failed.slice(0, maxNamed),
    moreFailed > 0 && bad(html`${texts.moreFailed(moreFailed)} ${link('/exports', texts.allExports)}`),
    ...refused.slice(0, maxNamed),
    moreRefused > 0 && bad(html`${texts.moreNotStarted(moreRefused)} ${link('/projects', texts.allSites)}`),
  ])
}

/** Leaves out the sites of which somebody has started an export since the refusal. */
function listUnstarted(refused: readonly SiteSchedule[], exports: readonly ExportJob[]): SiteSchedule[] {
  const isStarted = ({ domain, outcome }: SiteSchedule) =>
    exports.some(({ request, createdAt }) => request.domain === domain && createdAt > (outcome?.at ?? 0))
  return refused.filter(schedule => !isStarted(schedule))
}

/** Says which pages of a project failed. */
export function showFailing(visit: Visit, { id }: Project, { failed }: ProjectReaders): Markup | false {
  const query = new URLSearchParams({ project: id, range: '7', list: 'failures' })
  const address = `${visit.link('/visitors')}?${query}`
  const pageAddress = (page: string) => `${address}&${new URLSearchParams({ page })}#list`
  return listAlerts(texts.failing, [
    showFailed(failed.broken, { kind: 'bad', say: texts.broken, address: `${address}#list`, pageAddress }),
    showFailed(failed.missing, { kind: 'warn', say: texts.missing, address: `${address}#list`, pageAddress }),
  ])
}

function listAlerts(name: string, lines: readonly (Markup | false)[]): Markup | false {
  return lines.some(Boolean) && html`<ul class="alerts" aria-label="${name}">${lines}</ul>`
}

/** Lists the failed exports after which no other export of their site ended. */
function listFailedExports(newestFirst: readonly ExportJob[]): ExportJob[] {
  const ended = newestFirst.filter(({ status }) => status === 'completed' || status === 'failed')
  const last = new Map(ended.toReversed().map(job => [job.request.domain, job]))
  return [...last.values()].filter(({ status }) => status === 'failed').sort((a, b) => b.createdAt - a.createdAt)
}

interface FailedLine {
  kind: 'bad' | 'warn'
  say(pages: number, visitors: number): string
  /** Lists all such pages. */
  address: string
  /** Says who asked for a page. */
  pageAddress(path: string): string
}

function showFailed(
  { human, ai, pages }: FailedPages,
  { kind, say, address, pageAddress }: FailedLine,
): Markup | false {
  if (pages.length === 0) return false
  const named = pages
    .slice(0, maxNamed)
    .map(({ path }) => html` <code><a href="${pageAddress(path)}">${path}</a></code>`)
  return html`<li class="${kind}">${say(pages.length, human + ai)}${named} <a href="${address}">${texts.seeFailures}</a></li>`
}

/** Shows how many people and AI read a project, and what changed. */
export function showReaders(
  visit: Visit,
  { id, name }: Project,
  { chooser, readers }: { chooser: Markup | false | undefined; readers: ProjectReaders | undefined },
): Markup {
  const link = (query: Record<string, string>) =>
    `${visit.link('/visitors')}?${new URLSearchParams({ project: id, range: '30', ...query })}`
  return html`<h2>${texts.readersTitle(name)}</h2>
${chooser}
${readers ? showKnown(visit, readers, link) : html`<p class="notice bad">${visitorTexts.unusable}</p>`}`
}

function showKnown(visit: Visit, readers: ProjectReaders, link: (query: Record<string, string>) => string): Markup {
  const { visited, today, totals, before, series, prunedBefore } = readers
  if (!visited) {
    return html`<p class="empty">${visitorTexts.neverVisited.replace(/:$/, '.')} <a href="${link({})}">${visitorTexts.importHelp}</a></p>`
  }
  const compared = before.isWhole ? before : null
  const all = link(compared ? { compare: 'previous' } : {})
  return html`${showFigures([
    { name: texts.peopleToday, value: today.human },
    { name: texts.aiToday, value: today.ai },
    { name: texts.peopleMonth, value: totals.human, before: compared?.totals.human },
    { name: texts.aiMonth, value: totals.ai, before: compared?.totals.ai },
  ])}
${!compared && html`<p class="hint">${texts.notWhole(formatDay(visited.first))}</p>`}
${prunedBefore !== null && html`<p class="notice">${visitorTexts.pruned(prunedBefore)}</p>`}
${series.periods.length > 1 && showSeries(visit, { series, totals, compared })}
${compared && showChanges(readers, link)}
<p><a class="button" href="${all}">${texts.visitorsLink}</a></p>`
}

function showChanges(
  { rose, fell, came, stopped }: ProjectReaders,
  link: (query: Record<string, string>) => string,
): Markup {
  const pages: Column<PageChange>[] = [
    {
      heading: texts.page,
      show: ({ path }) => html`<a href="${link({ compare: 'previous', page: path })}"><code>${path}</code></a>`,
    },
    { heading: texts.before, isNumber: true, show: ({ before }) => showNumber(before) },
    { heading: texts.now, isNumber: true, show: ({ now }) => showNumber(now) },
    { heading: texts.change, isNumber: true, show: ({ now, before }) => showChange(now, before) },
  ]
  const agents: Column<ProjectReaders['came'][number]>[] = [
    { heading: texts.agent, show: ({ agent }) => html`<a href="${link({ compare: 'previous', agent })}">${agent}</a>` },
    { heading: visitorTexts.use, show: ({ use }) => visitorTexts.uses[use] },
    { heading: visitorTexts.visitors, isNumber: true, show: ({ visitors }) => showNumber(visitors) },
  ]
  const part = <Row>(caption: string, rows: readonly Row[], columns: readonly Column<Row>[]) =>
    html`<section><h3>${caption}</h3>${table(rows, { caption, empty: texts.noChange, columns })}</section>`
  return html`<p class="hint">${texts.comparedHint}</p>
<div class="pairs">${part(texts.rose, rose, pages)}${part(texts.fell, fell, pages)}
${part(texts.came, came, agents)}${part(texts.stopped, stopped, agents)}</div>`
}
