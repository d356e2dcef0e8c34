import { type AgentJob, transition } from '../../agent/agent-job.ts'
import type { AgentRun } from '../../agent/agent-run.ts'
import { sendAgentMessage } from '../../operations/extensions/sendAgentMessage.ts'
import { toClient } from '../client.ts'
import type { DashboardDeps } from '../deps.ts'
import { type Answer, type PageDefinition, PageNotFound, type Visit } from '../page.ts'
import { actionButton } from '../parts/action.ts'
import { copyButton } from '../parts/copy.ts'
import { factList } from '../parts/facts.ts'
import { type Fragment, html, type Markup } from '../parts/html.ts'
import { stateBadge } from '../parts/state.ts'
import { time } from '../parts/time.ts'
import { agentJobTexts as texts } from '../texts/agent-jobs.ts'
import { agentStartTexts, agentRunTexts as runTexts } from '../texts/agent-runs.ts'
import { showChange, showExpiredChange } from './agent-diff.ts'
import { agentJobPath } from './agent-job-path.ts'
import { checkPrompt, readPrompt } from './agent-prompt.ts'
import { listRunFacts, type MessageForm, showCancel, showLog, showMessageForm, showRunState } from './agent-run.ts'
import { webLink } from './repository.ts'

const liveMs = 5000

/** While Quire runs the agent, each of its steps is shown. */
const liveRunMs = 1500

/** One agent job, with its pull request, and how Quire works on it if it does. It renews itself while the agent is at work. */
export const agentJobPage: PageDefinition = {
  section: 'agent-jobs',
  path: '/agent-jobs/:projectId/:id',
  show: async (visit, deps) => {
    const job = await findJob(visit, deps)
    return { title: texts.job(job.id), content: (await showJob(visit, deps, job)).content }
  },
  actions: { archive, cancel, message },
}

async function findJob({ organization, params }: Visit, { agentJobs }: DashboardDeps): Promise<AgentJob> {
  const job = await agentJobs.findOwned(organization.id, params.projectId ?? '', params.id ?? '')
  if (!job) throw new PageNotFound()
  return job
}

/** A job that was archived meanwhile, in another tab or by a command, is as the person wants it. */
async function archive(visit: Visit, deps: DashboardDeps): Promise<Answer> {
  const job = await findJob(visit, deps)
  if (job.status === 'archived') return { leadTo: agentJobPath(job), notice: 'agent-job-was-archived' }
  if (job.status === 'active') return refuse(visit, deps, job, texts.stillActive)
  const archived = transition(job, 'archived', visit.now)
  const event = { action: 'agent-job.archived', subject: job.id, detail: job.projectId } as const
  if (!(await visit.record(event, ({ agentJobs }) => agentJobs.update(archived, job.status)))) {
    const changed = await findJob(visit, deps)
    if (changed.status === 'archived') return { leadTo: agentJobPath(job), notice: 'agent-job-was-archived' }
    return refuse(visit, deps, changed, texts.lostRace)
  }
  return { leadTo: agentJobPath(job), notice: 'agent-job-archived' }
}

/** Ends a job that is queued or running. One that has ended meanwhile stays as it is. */
async function cancel(visit: Visit, deps: DashboardDeps): Promise<Answer> {
  const job = await findJob(visit, deps)
  const event = { action: 'agent-job.cancelled', subject: job.id, detail: job.projectId } as const
  const isCancelled = await visit.record(event, ({ agentRuns }) => agentRuns.cancel(job.projectId, job.id, visit.now))
  return { leadTo: agentJobPath(job), notice: isCancelled ? 'agent-job-cancelled' : 'agent-job-had-ended' }
}

/** Sends one more instruction to the agent, as a request to the API does. */
async function message(visit: Visit, deps: DashboardDeps): Promise<Answer> {
  const job = await findJob(visit, deps)
  const prompt = readPrompt(visit.form)
  const { prompt: problem } = checkPrompt(prompt)
  const params = { projectId: job.projectId, id: job.id }
  const request = { params, query: {}, headers: {}, body: { prompt }, mediaType: 'application/json' } as const
  const answer =
    problem === undefined
      ? await sendAgentMessage(request, deps, toClient(visit))
      : ({ status: 400, body: { error: problem } } as const)
  if (answer.status === 202) return { leadTo: agentJobPath(job), notice: 'agent-job-instructed' }
  const form = { prompt, problem: answer.body.error }
  const { content, hasForm } = await showJob(visit, deps, await findJob(visit, deps), form)
  const notice = !hasForm && html`<p class="notice bad" role="alert">${runTexts.notSent} ${form.problem}</p>`
  return { title: texts.job(job.id), status: answer.status, content: html`${notice}${content}` }
}

async function refuse(visit: Visit, deps: DashboardDeps, job: AgentJob, reason: string): Promise<Answer> {
  const { content } = await showJob(visit, deps, job)
  const notice = html`<p class="notice bad" role="alert">${reason}</p>`
  return { title: texts.job(job.id), status: 409, content: html`${notice}${content}` }
}

/** Why no agent of this server can take a job. */
async function showProblem({ agents, findAgentProblem }: DashboardDeps): Promise<Markup | false> {
  if (!agents) return html` ${agentStartTexts.noAgent}`
  const problem = await findAgentProblem()
  return problem !== undefined && html` ${problem}`
}

/** Shows a job. `hasForm` = also the form for a message, with `form` in it. */
async function showJob(
  visit: Visit,
  deps: DashboardDeps,
  job: AgentJob,
  form?: MessageForm,
): Promise<{ content: Markup; hasForm: boolean }> {
  const { projectId, id, status } = job
  const run = await deps.agentRuns.find(projectId, id)
  // A page that answers a form has an address that cannot be read again.
  const isLive = status === 'active' && visit.form.size === 0
  const live = isLive && html` data-live="${run ? liveRunMs : liveMs}"`
  const state =
    run && status !== 'archived'
      ? html`${showRunState(visit, run)}${run.state === 'queued' && (await showProblem(deps))}`
      : html`${stateBadge(status, texts.statuses[status])} ${texts.stateNow[status]}`
  const hasForm = run?.state === 'ended' && status !== 'archived' && deps.agents !== undefined
  const messageForm = hasForm && showMessageForm(visit, job, run, form)
  const content = html`<p><a href="${visit.link('/agent-jobs')}?project=${encodeURIComponent(projectId)}">${texts.back}</a></p>
<p role="status"><span id="agent-job-state"${live}>${state}</span></p>
<div id="agent-job"${live}>
${showFacts(visit, job, run)}
${(status === 'completed' || status === 'failed') && archiveButton(visit, job)}
</div>${run && (await showRun(visit, deps, { job, run, messageForm, live }))}`
  return { content, hasForm }
}

/** The parts of a job that Quire runs. Each is renewed by itself, because a part is not renewed while the focus is inside it. */
async function showRun(
  visit: Visit,
  deps: DashboardDeps,
  { job, run, messageForm, live }: { job: AgentJob; run: AgentRun; messageForm: Fragment; live: Fragment },
): Promise<Markup> {
  const isActive = run.state !== 'ended'
  // A page that renews itself does not read the change of an earlier instruction, which can be long, each time.
  const change = isActive ? undefined : await deps.agentRuns.findChange(job.projectId, job.id)
  return html`<div id="agent-cancel"${live}>${isActive && !run.isCancelling && showCancel(visit, job)}</div>
<div id="agent-change"${live}>${change ? showChange(run, change) : !isActive && showExpiredChange(run)}</div>
<div id="agent-message"${live}>${messageForm}</div>
<div id="agent-log"${live}>
${await showLog(visit, deps, run)}</div>`
}

function showFacts(visit: Visit, job: AgentJob, run: AgentRun | undefined): Markup {
  const { id, source, model, createdAt, archivedAt } = job
  const { facts } = texts
  return factList([
    [facts.pullRequest, showPullRequest(job)],
    ...(run ? listRunFacts(run, visit.now) : []),
    [facts.repository, webLink(source.repository)],
    [facts.ref, source.ref ?? texts.defaultBranch],
    [facts.model, model],
    [facts.created, time(createdAt)],
    [facts.archived, archivedAt !== null && time(archivedAt)],
    [facts.id, html`<code>${id}</code> ${copyButton(id, { label: texts.copy, name: texts.copyId })}`],
  ])
}

function archiveButton(visit: Visit, job: AgentJob): Markup {
  return html`<div class="buttons">${actionButton(visit, `${agentJobPath(job)}/archive`, { label: texts.archive })}</div>
<p class="hint">${texts.archiveHint}</p>`
}

function showPullRequest(job: AgentJob): Fragment {
  const { prLink, status } = job
  // Without a forge, the link of a change leads to this page.
  if (prLink?.endsWith(agentJobPath(job))) return texts.branchOnly
  if (prLink !== null) return webLink(prLink)
  if (status === 'active') return texts.noPullRequestYet
  return status === 'failed' ? texts.noPullRequestFailed : texts.noPullRequest
}
