import type { AgentJob, AgentJobStatus } from '../../agent/agent-job.ts'
import type { Project } from '../../tenancy/project.ts'
import type { DashboardDeps } from '../deps.ts'
import type { Answer, PageDefinition, Visit } from '../page.ts'
import { copyButton } from '../parts/copy.ts'
import { selectField } from '../parts/field.ts'
import { type Fragment, html, type Markup } from '../parts/html.ts'
import { stateBadge } from '../parts/state.ts'
import { table } from '../parts/table.ts'
import { timeAgo } from '../parts/time.ts'
import { agentJobTexts as texts } from '../texts/agent-jobs.ts'
import { agentJobPath } from './agent-job-path.ts'
import { askForProject } from './ask-operator.ts'
import { findShownProject, listProjectChoices, projectChooser } from './project-choice.ts'

const perPage = 50
const liveMs = 5000

/** The agent jobs of one project of the organization. The list renews itself, because programs add to it. */
export const agentJobsPage: PageDefinition = {
  section: 'agent-jobs',
  path: '/agent-jobs',
  show: async (visit, deps): Promise<Answer> => {
    const choices = await listProjectChoices(visit, deps)
    const project = await findShownProject(visit, deps, choices)
    const content = project
      ? await showJobs(visit, deps, choices.count > 1 && projectChooser(visit, choices, project), project)
      : showNoProject(visit)
    return { title: texts.title, content: html`<p>${texts.intro}</p>${content}` }
  },
}

function showNoProject(visit: Visit): Markup {
  if (visit.person.organizationId !== null) return html`<p class="empty">${texts.noProject} ${askForProject(visit)}</p>`
  return html`<p class="empty">${texts.noProject} <a href="${visit.link('/projects')}">${texts.noProjectLink}</a></p>`
}

async function showJobs(
  visit: Visit,
  { agentJobs }: DashboardDeps,
  projectChoice: Fragment,
  project: Project,
): Promise<Markup> {
  const status = readStatus(visit)
  const jobs = await agentJobs.list(project.id, status)
  const first = readFirst(visit, jobs.length)
  return html`${chooser(visit, projectChoice, status)}
<div id="agent-jobs" data-live="${liveMs}">
${table(jobs.slice(first, first + perPage), {
  caption: texts.listTitle,
  empty: status === undefined ? explainEmpty(project) : texts.emptyFiltered,
  columns: columnsOf(visit),
})}
${pageLinks(visit, { project, status, first, count: jobs.length })}</div>`
}

function columnsOf(visit: Visit) {
  const { columns } = texts
  return [
    { heading: columns.id, show: (job: AgentJob) => html`<a href="${visit.link(agentJobPath(job))}">${job.id}</a>` },
    {
      heading: columns.status,
      show: ({ status }: AgentJob) => stateBadge(status, texts.statuses[status]),
    },
    {
      heading: columns.source,
      isText: true,
      show: ({ source }: AgentJob) =>
        html`${source.repository}<br><span class="quiet">${source.ref ?? texts.defaultBranch}</span>`,
    },
    { heading: columns.model, isText: true, show: ({ model }: AgentJob) => model },
    { heading: columns.created, show: ({ createdAt }: AgentJob) => timeAgo(createdAt, visit.now) },
  ]
}

function explainEmpty({ id }: Project): Markup {
  const command = texts.createCommand(id)
  return html`${texts.empty}<br><code>${command}</code><br>${copyButton(command, { label: texts.copy, name: texts.copyCommand })}`
}

/** Chooses the project, if there are several, and the status. It works without scripts. */
function chooser(visit: Visit, projectChoice: Fragment, status?: AgentJobStatus): Markup {
  return html`<form method="get" action="${visit.link('/agent-jobs')}" class="tools">
${projectChoice}
${selectField({
  label: texts.status,
  name: 'status',
  value: status ?? '',
  choices: [['', texts.anyStatus], ...Object.entries(texts.statuses)],
})}
<button>${texts.choose}</button>
</form>`
}

function readStatus({ query }: Visit): AgentJobStatus | undefined {
  const status = query.get('status') ?? ''
  return Object.hasOwn(texts.statuses, status) ? (status as AgentJobStatus) : undefined
}

function readFirst({ query }: Visit, count: number): number {
  const first = query.get('from') ?? ''
  return /^\d{1,9}$/.test(first) ? Math.min(Number(first), Math.max(0, count - 1)) : 0
}

function pageLinks(
  visit: Visit,
  { project, status, first, count }: { project: Project; status: string | undefined; first: number; count: number },
): Fragment {
  const link = (from: number, label: string) => {
    const query = new URLSearchParams({ project: project.id, ...(status && { status }), from: String(from) })
    return html`<a class="button" href="${visit.link('/agent-jobs')}?${String(query)}">${label}</a> `
  }
  const newer = first > 0 && link(Math.max(0, first - perPage), texts.paging.newer)
  const older = first + perPage < count && link(first + perPage, texts.paging.older)
  return (newer || older) && html`<p>${newer}${older}</p>`
}
