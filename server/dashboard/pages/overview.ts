import type { AgentJob } from '../../agent/agent-job.ts'
import { toDay } from '../../analytics/day.ts'
import type { VisitorCounts } from '../../analytics/unique-visitors.ts'
import { UnusableVisitsError } from '../../analytics/unusable-visits.ts'
import type { ExportJob } from '../../export/jobs/export-job.ts'
import { findKeyState } from '../../tenancy/api-key.ts'
import type { Project } from '../../tenancy/project.ts'
import type { DashboardDeps } from '../deps.ts'
import type { Answer, PageDefinition, Visit } from '../page.ts'
import { html, type Markup } from '../parts/html.ts'
import { stateBadge } from '../parts/state.ts'
import { table } from '../parts/table.ts'
import { timeAgo } from '../parts/time.ts'
import { exportPath } from '../paths.ts'
import { whileRenewed } from '../renewal.ts'
import { agentJobTexts } from '../texts/agent-jobs.ts'
import { auditTexts } from '../texts/audit.ts'
import { exportTexts } from '../texts/exports.ts'
import { showNumber } from '../texts/numbers.ts'
import { overviewTexts as texts } from '../texts/overview.ts'
import { agentJobPath } from './agent-job-path.ts'
import { auditColumns, findSubjectLinks } from './audit-columns.ts'
import { listProblems, readHealth } from './health.ts'
import { readReaders, showAlerts, showFailing, showReaders } from './overview-readers.ts'
import { findShownProject, listProjectChoices, projectForm } from './project-choice.ts'
import { describeRepository } from './repository.ts'

const renewMs = 10_000
/** Readers are counted in the one thread that counts for all. */
const readersRenewMs = 60_000
/** Rows of each list. */
const rows = 5
/** The newest exports, among which a site with a failed one is looked for, and the newest refusals of schedules. */
const judgedExports = 50
/** More projects are on the page of the visitors. */
const maxProjects = 10

/** What happens now: what needs attention, the readers of a project, and the newest exports, agent jobs and events. */
export const overviewPage: PageDefinition = { section: 'overview', path: '', show }

async function show(visit: Visit, deps: DashboardDeps): Promise<Answer> {
  const { id: organizationId } = visit.organization
  const listed = deps.projects.list(organizationId)
  const choices = await listProjectChoices(visit, deps)
  const project = await findShownProject(visit, deps, choices)
  // See in-page/dashboard/run-dashboard.ts.
  const wantsReaders = !visit.query.has('renew')
  const [projects, newest, refused, events, health, readers] = await Promise.all([
    listed,
    deps.exportJobs.list({ organizationId, limit: judgedExports }),
    deps.siteSchedules.listRefused(organizationId, judgedExports),
    deps.auditLog.list({ organizationId, limit: rows }),
    readHealth(visit, deps, listed),
    project && wantsReaders ? readReaders(project, visit.now, deps) : undefined,
  ])
  const exports = newest.slice(0, rows)
  const [steps, jobs, visitors, links] = await Promise.all([
    findNextSteps(visit, { projects, exports }, deps),
    listNewestJobs(projects, deps),
    wantsReaders && projects.length > 1 ? countVisitors(projects.slice(0, maxProjects), visit.now, deps) : [],
    findSubjectLinks(visit, events, deps),
  ])
  const chooser = project && projectForm(visit, choices, { project, path: '' })
  const readersPart = html`<div id="overview-readers" data-live="${readersRenewMs}">
${project && readers && showFailing(visit, project, readers)}
${project && showReaders(visit, project, { chooser, readers })}
${visitors.length > 0 && html`<h2>${texts.visitorsTitle}</h2>\n${showVisitors(visit, visitors, projects.length)}`}
</div>`
  const content = html`<div id="overview-alerts" data-live="${renewMs}">
${showNextSteps(visit, steps)}
${showAlerts(visit, { problems: listProblems(health), exports: newest, refused })}
</div>
${wantsReaders && readersPart}
<div id="overview" data-live="${renewMs}">
<h2>${texts.exportsTitle}</h2>
${showExports(visit, exports)}
<h2>${texts.agentJobsTitle}</h2>
${showJobs(visit, jobs)}
<h2>${texts.auditTitle}</h2>
${table(events, {
  caption: texts.auditTitle,
  empty: auditTexts.empty,
  columns: auditColumns(links, { now: visit.now }),
})}
${events.length > 0 && html`<p><a href="${visit.link('/audit')}">${texts.allEvents}</a></p>`}
<p><a href="${visit.link('/health')}">${texts.healthLink}</a></p>
</div>
${whileRenewed(texts.renewed)}`
  return { title: texts.title, content, hasChart: project !== undefined }
}

/** The visitors of a project; undefined if its visits cannot be read. */
type ProjectVisitors = Project & { visitors: VisitorCounts | undefined }

async function countVisitors(
  projects: readonly Project[],
  now: number,
  { visits }: Pick<DashboardDeps, 'visits'>,
): Promise<ProjectVisitors[]> {
  const dateTo = toDay(now) + 1
  const range = { dateFrom: dateTo - 7, dateTo }
  return Promise.all(
    projects.map(async project => {
      try {
        const [visitors] = await visits.countTotals(project.id, [range])
        return { ...project, visitors }
      } catch (error) {
        if (error instanceof UnusableVisitsError) return { ...project, visitors: undefined }
        throw error
      }
    }),
  )
}

async function listNewestJobs(
  projects: readonly Project[],
  { agentJobs }: Pick<DashboardDeps, 'agentJobs'>,
): Promise<AgentJob[]> {
  const jobs = await Promise.all(projects.map(({ id }) => agentJobs.list(id, undefined, rows)))
  return jobs
    .flat()
    .toSorted((a, b) => b.createdAt - a.createdAt)
    .slice(0, rows)
}

function showVisitors(visit: Visit, projects: readonly ProjectVisitors[], all: number): Markup {
  const column = (heading: string, kind: keyof VisitorCounts) => ({
    heading,
    isNumber: true,
    show: ({ visitors }: ProjectVisitors) => (visitors ? showNumber(visitors[kind]) : texts.unusable),
  })
  const address = (id: string) => `${visit.link('/visitors')}?${new URLSearchParams({ project: id, range: '7' })}`
  return html`${table(projects, {
    caption: texts.visitorsTitle,
    empty: texts.noProject,
    columns: [
      { heading: texts.project, show: ({ id, name }) => html`<a href="${address(id)}">${name}</a>` },
      column(texts.people, 'human'),
      column(texts.ai, 'ai'),
      column(texts.total, 'total'),
    ],
  })}${all > projects.length && html`<p class="hint">${texts.moreProjects(all - projects.length)}</p>`}`
}

function showExports(visit: Visit, exports: readonly ExportJob[]): Markup {
  const { columns } = texts
  const all = visit.link('/exports')
  return html`${table(exports, {
    caption: texts.exportsTitle,
    empty: html`${texts.noExport} <a href="${all}">${texts.startExport}</a>`,
    columns: [
      {
        heading: columns.site,
        show: ({ jobId, request }) => html`<a href="${visit.link(exportPath(jobId))}">${request.domain}</a>`,
      },
      { heading: columns.version, isText: true, show: ({ request }) => request.version },
      { heading: exportTexts.columns.status, show: ({ status }) => stateBadge(status, exportTexts.statuses[status]) },
      { heading: columns.progress, isNumber: true, show: ({ progress }) => `${Math.floor(progress)} %` },
      { heading: exportTexts.columns.created, show: ({ createdAt }) => timeAgo(createdAt, visit.now) },
    ],
  })}${exports.length > 0 && html`<p><a href="${all}">${texts.allExports}</a></p>`}`
}

function showJobs(visit: Visit, jobs: readonly AgentJob[]): Markup {
  const { columns } = texts
  return html`${table(jobs, {
    caption: texts.agentJobsTitle,
    empty: texts.noAgentJob,
    columns: [
      {
        heading: columns.job,
        show: job => html`<a href="${visit.link(agentJobPath(job))}">${job.id}</a>`,
      },
      { heading: columns.source, isText: true, show: ({ source }) => describeRepository(source.repository) },
      {
        heading: agentJobTexts.columns.status,
        show: ({ status }) => stateBadge(status, agentJobTexts.statuses[status]),
      },
      { heading: agentJobTexts.columns.created, show: ({ createdAt }) => timeAgo(createdAt, visit.now) },
    ],
  })}${jobs.length > 0 && html`<p><a href="${visit.link('/agent-jobs')}">${texts.allAgentJobs}</a></p>`}`
}

type StepName = keyof typeof texts.steps

/** A step that a new organization takes, in order. */
interface Step {
  name: StepName
  isDone: boolean
}

const stepPaths: Record<StepName, string> = {
  project: '/projects',
  site: '/projects',
  key: '/keys#generate',
  export: '/exports',
  visitors: '/visitors',
}

/** Returns the first steps of an organization; none when it has a project, a site and a key. */
async function findNextSteps(
  { organization, now }: Visit,
  { projects, exports }: { projects: readonly Project[]; exports: readonly ExportJob[] },
  { sites, apiKeys, visits }: Pick<DashboardDeps, 'sites' | 'apiKeys' | 'visits'>,
): Promise<Step[]> {
  const first = { contains: '', limit: 1, offset: 0 }
  const [ownSites, keys] = await Promise.all([sites.listPart(organization.id, first), apiKeys.list(organization.id)])
  const done = {
    project: projects.length > 0,
    site: ownSites.count > 0,
    key: keys.some(key => findKeyState(key, now) === 'active'),
  }
  if (done.project && done.site && done.key) return []
  return [
    { name: 'project', isDone: done.project },
    { name: 'site', isDone: done.site },
    { name: 'key', isDone: done.key },
    { name: 'export', isDone: exports.length > 0 },
    { name: 'visitors', isDone: await hasVisitors(projects, visits) },
  ]
}

async function hasVisitors(projects: readonly Project[], visits: DashboardDeps['visits']): Promise<boolean> {
  for (const { id } of projects) {
    try {
      const [totals] = await visits.countTotals(id, [{}])
      if (totals && totals.total > 0) return true
    } catch (error) {
      // There were visits, although they cannot be read now.
      if (error instanceof UnusableVisitsError) return true
      throw error
    }
  }
  return false
}

/** Lists the steps, and says which are done. */
function showNextSteps(visit: Visit, steps: readonly Step[]): Markup | false {
  if (steps.length === 0) return false
  const items = steps.map(({ name, isDone }) => {
    const { name: label, hint: purpose } = texts.steps[name]
    const needsOperator = visit.person.organizationId !== null && (name === 'project' || name === 'site')
    const hint = needsOperator && !isDone ? `${purpose} ${texts.byOperator}` : purpose
    const state = isDone && html` ${stateBadge('good', texts.done)}`
    return html`<li><a href="${linkTo(visit, stepPaths[name])}">${label}</a>${state}<p class="hint">${hint}</p></li>`
  })
  return html`<div class="card steps"><h2>${texts.firstSteps}</h2><p>${texts.firstStepsHint}</p><ol>${items}</ol></div>`
}

function linkTo(visit: Visit, path: string): string {
  const [page = '', fragment] = path.split('#')
  return visit.link(page) + (fragment === undefined ? '' : `#${fragment}`)
}
