import type { AgentJob, AgentJobStatus } from '../../agent/agent-job.ts'
import type { RunSummary } from '../../agent/agent-run.ts'
import { shorten } from '../../base/shorten.ts'
import { startAgentJob } from '../../operations/extensions/startAgentJob.ts'
import type { Project } from '../../tenancy/project.ts'
import { toClient } from '../client.ts'
import type { DashboardDeps } from '../deps.ts'
import { type Answer, type PageDefinition, PageNotFound, type Visit } from '../page.ts'
import { copyButton } from '../parts/copy.ts'
import { selectField } from '../parts/field.ts'
import { toForeignText } from '../parts/foreign-text.ts'
import { type Fragment, html, type Markup } from '../parts/html.ts'
import { stateBadge } from '../parts/state.ts'
import { table } from '../parts/table.ts'
import { timeAgo } from '../parts/time.ts'
import { agentJobTexts as texts } from '../texts/agent-jobs.ts'
import { agentRunTexts as runTexts, agentStartTexts as startTexts } from '../texts/agent-runs.ts'
import { agentJobPath } from './agent-job-path.ts'
import { addStartProblem, createStartForm, readStartForm, type StartForm, showStart } from './agent-start-form.ts'
import { askForProject } from './ask-operator.ts'
import { findShownProject, listProjectChoices, projectChooser } from './project-choice.ts'
import { describeRepository } from './repository.ts'

const perPage = 50
const maxShownPrompt = 80
const liveMs = 5000

/** The agent jobs of one project of the organization. The list renews itself, because programs add to it. */
export const agentJobsPage: PageDefinition = {
  section: 'agent-jobs',
  path: '/agent-jobs',
  show: (visit, deps) => showPage(visit, deps, createStartForm(deps.agents)),
  actions: { start },
}

const startLink = html` <a href="#start">${startTexts.title}</a>`

async function showPage(visit: Visit, deps: DashboardDeps, form: StartForm, status = 200): Promise<Answer> {
  const choices = await listProjectChoices(visit, deps)
  const project = await findShownProject(visit, deps, choices)
  const content = project
    ? html`${await showJobs(visit, deps, choices.count > 1 && projectChooser(visit, choices, project), project)}
${await showStart(visit, deps, project, form)}`
    : showNoProject(visit)
  return {
    title: texts.title,
    status,
    content: html`<p>${texts.intro}${project && deps.agents && startLink}</p>${content}`,
  }
}

/** Starts a job as a request to the API does. */
async function start(visit: Visit, deps: DashboardDeps): Promise<Answer> {
  const project = await findShownProject(visit, deps, await listProjectChoices(visit, deps))
  if (!project) throw new PageNotFound()
  const form = readStartForm(visit.form)
  if (form.problems.prompt !== undefined) return showPage(visit, deps, form, 400)
  const { prompt, branch, folder, draft, jobId } = form
  const path = agentJobPath({ projectId: project.id, id: jobId })
  const isUsed = async () => (await deps.agentJobs.find(project.id, jobId)) !== undefined
  const used = { leadTo: path, notice: 'agent-job-form-used' } as const
  if (await isUsed()) return used
  const body = { prompt, ...(branch !== '' && { branch }), ...(folder !== '' && { folder }), draft: draft === true }
  const answer = await startAgentJob(
    { params: { projectId: project.id }, query: {}, headers: {}, body, mediaType: 'application/json' },
    { ...deps, createAgentJobId: () => jobId },
    toClient(visit),
  ).catch(async error => {
    // A double click sends the form twice at the same time.
    if (await isUsed()) return used
    throw error
  })
  if ('leadTo' in answer) return answer
  if (answer.status === 202) return { leadTo: path, notice: 'agent-job-started' }
  return showPage(visit, deps, addStartProblem(form, answer.body.error), answer.status)
}

function showNoProject(visit: Visit): Markup {
  if (visit.person.organizationId !== null) return html`<p class="empty">${texts.noProject} ${askForProject(visit)}</p>`
  return html`<p class="empty">${texts.noProject} <a href="${visit.link('/projects')}">${texts.noProjectLink}</a></p>`
}

async function showJobs(
  visit: Visit,
  { agentJobs, agentRuns }: DashboardDeps,
  projectChoice: Fragment,
  project: Project,
): Promise<Markup> {
  const status = readStatus(visit)
  const jobs = await agentJobs.list(project.id, status)
  const first = readFirst(visit, jobs.length)
  const shown = jobs.slice(first, first + perPage)
  const jobIds = shown.map(({ id }) => id)
  const runs = new Map((await agentRuns.listSummaries(project.id, jobIds)).map(run => [run.jobId, run]))
  return html`${chooser(visit, projectChoice, status)}
<div id="agent-jobs" data-live="${liveMs}">
${table(shown, {
  caption: texts.listTitle,
  empty: status === undefined ? explainEmpty(project) : texts.emptyFiltered,
  columns: columnsOf(visit, runs),
})}
${pageLinks(visit, { project, status, first, count: jobs.length })}</div>`
}

/** @param runs of the jobs that Quire runs. If it runs none, no job has an instruction. */
function columnsOf(visit: Visit, runs: ReadonlyMap<string, RunSummary>) {
  const { columns } = texts
  const instruction = {
    heading: columns.instruction,
    isText: true,
    show: ({ id }: AgentJob) => showBeginning(runs.get(id)?.prompt ?? ''),
  }
  return [
    { heading: columns.id, show: (job: AgentJob) => html`<a href="${visit.link(agentJobPath(job))}">${job.id}</a>` },
    ...(runs.size > 0 ? [instruction] : []),
    {
      heading: columns.status,
      show: ({ id, status }: AgentJob) => {
        const end = runs.get(id)?.end
        return html`${stateBadge(status, texts.statuses[status])}${end && html`<br><span class="quiet">${runTexts.ends[end]}</span>`}`
      },
    },
    {
      heading: columns.source,
      isText: true,
      show: ({ source }: AgentJob) =>
        html`${describeRepository(source.repository)}<br><span class="quiet">${source.ref ?? texts.defaultBranch}</span>`,
    },
    { heading: columns.model, isText: true, show: ({ model }: AgentJob) => model },
    { heading: columns.created, show: ({ createdAt }: AgentJob) => timeAgo(createdAt, visit.now) },
  ]
}

/** The beginning of the first line of an instruction. */
function showBeginning(prompt: string): string {
  const line = prompt.trim().split('\n', 1)[0] ?? ''
  return shorten(toForeignText(line), maxShownPrompt)
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
