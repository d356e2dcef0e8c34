import { type AgentJob, transition } from '../../agent/agent-job.ts'
import type { DashboardDeps } from '../deps.ts'
import { type Answer, type PageDefinition, PageNotFound, type Visit } from '../page.ts'
import { actionButton } from '../parts/action.ts'
import { copyButton } from '../parts/copy.ts'
import { factList } from '../parts/facts.ts'
import { type Fragment, html, type Markup } from '../parts/html.ts'
import { stateBadge } from '../parts/state.ts'
import { time } from '../parts/time.ts'
import { agentJobTexts as texts } from '../texts/agent-jobs.ts'
import { agentJobPath } from './agent-job-path.ts'

const liveMs = 5000

/** One agent job, with its pull request. It renews itself while the agent is at work. */
export const agentJobPage: PageDefinition = {
  section: 'agent-jobs',
  path: '/agent-jobs/:projectId/:id',
  show: async (visit, deps) => {
    const job = await findJob(visit, deps)
    return { title: texts.job(job.id), content: showJob(visit, job) }
  },
  actions: { archive },
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
  if (job.status === 'active') return refuse(visit, job, texts.stillActive)
  const archived = transition(job, 'archived', visit.now)
  const event = { action: 'agent-job.archived', subject: job.id, detail: job.projectId } as const
  if (!(await visit.record(event, ({ agentJobs }) => agentJobs.update(archived, job.status)))) {
    const changed = await findJob(visit, deps)
    if (changed.status === 'archived') return { leadTo: agentJobPath(job), notice: 'agent-job-was-archived' }
    return refuse(visit, changed, texts.lostRace)
  }
  return { leadTo: agentJobPath(job), notice: 'agent-job-archived' }
}

function refuse(visit: Visit, job: AgentJob, reason: string): Answer {
  const content = html`<p class="notice bad" role="alert">${reason}</p>${showJob(visit, job)}`
  return { title: texts.job(job.id), status: 409, content }
}

function showJob(visit: Visit, job: AgentJob): Markup {
  const { projectId, id, status, source, model, createdAt, archivedAt } = job
  const { facts } = texts
  // A page that answers a form has an address that cannot be read again.
  const live = status === 'active' && visit.form.size === 0 && html` data-live="${liveMs}"`
  return html`<p><a href="${visit.link('/agent-jobs')}?project=${encodeURIComponent(projectId)}">${texts.back}</a></p>
<p role="status"><span id="agent-job-state"${live}>${stateBadge(status, texts.statuses[status])} ${texts.stateNow[status]}</span></p>
<div id="agent-job"${live}>
${factList([
  [facts.pullRequest, showPullRequest(job)],
  [facts.repository, webLink(source.repository)],
  [facts.ref, source.ref ?? texts.defaultBranch],
  [facts.model, model],
  [facts.created, time(createdAt)],
  [facts.archived, archivedAt !== null && time(archivedAt)],
  [facts.id, html`<code>${id}</code> ${copyButton(id, { label: texts.copy, name: texts.copyId })}`],
])}
${
  (status === 'completed' || status === 'failed') &&
  html`<div class="buttons">${actionButton(visit, `${agentJobPath(job)}/archive`, { label: texts.archive })}</div>
<p class="hint">${texts.archiveHint}</p>`
}
</div>`
}

function showPullRequest({ prLink, status }: AgentJob): Fragment {
  if (prLink !== null) return webLink(prLink)
  if (status === 'active') return texts.noPullRequestYet
  return status === 'failed' ? texts.noPullRequestFailed : texts.noPullRequest
}

/** Shows an address that others wrote: as a link only if it is an http(s) address, and else as text. */
function webLink(address: string): Markup {
  const url = URL.parse(address)
  if (!url || !/^https?:$/.test(url.protocol)) return html`<code>${address}</code>`
  return html`<a href="${url.href}" rel="noreferrer">${address}</a>`
}
