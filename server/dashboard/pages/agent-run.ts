import type { AgentEvent } from '../../agent/agent-event.ts'
import type { AgentJob } from '../../agent/agent-job.ts'
import type { AgentRun } from '../../agent/agent-run.ts'
import { runEnds } from '../../agent/run-end.ts'
import { shorten } from '../../base/shorten.ts'
import { relativePath } from '../../docs/relative-path.ts'
import type { DashboardDeps } from '../deps.ts'
import { organizationPath } from '../frame.ts'
import type { Visit } from '../page.ts'
import { actionButton, tokenField } from '../parts/action.ts'
import { describeDuration } from '../parts/duration.ts'
import { linesField } from '../parts/field.ts'
import { toForeignText } from '../parts/foreign-text.ts'
import { type Fragment, html, type Markup } from '../parts/html.ts'
import { stateBadge } from '../parts/state.ts'
import { time, timeWithSeconds } from '../parts/time.ts'
import { agentRunTexts as texts } from '../texts/agent-runs.ts'
import { agentJobPath } from './agent-job-path.ts'

const eventsPerPage = 50
/** A longer event is shown as a whole by itself. */
const maxEventCharacters = 1000
const maxShownPrompt = 2000

/** How the run is, in words; how it ended with the sentence that the run ended with. */
export function showRunState(visit: Visit, run: AgentRun): Markup {
  if (run.state !== 'ended') {
    const words = run.isCancelling ? texts.stateNow.cancelling : texts.stateNow[run.state]
    return html`${stateBadge(run.state, run.state)} ${words}`
  }
  const end = run.end ?? 'internal'
  const help = html` <a href="${endsAddress(visit, run)}">${texts.endsLink}</a>`
  return html`${stateBadge(runEnds[end], runEnds[end])} ${end === 'changed' && `${texts.published} `}${toForeignText(run.explanation ?? '')}${runEnds[end] === 'failed' && help}`
}

/** The documentation about the ends of jobs, from the page of a job. */
function endsAddress({ organization }: Visit, { projectId, jobId }: AgentRun): string {
  const path = organizationPath(organization.id, agentJobPath({ projectId, id: jobId }))
  return `${relativePath(path, '/docs/run-agents')}#how-a-job-ends`
}

/** What was asked for and what came of it, as lines of a list of facts. */
export function listRunFacts(run: AgentRun, now: number): [string, Fragment][] {
  const { facts } = texts
  const { usage, startedAt, endedAt, queuedAt } = run
  const isOver = run.state === 'ended'
  return [
    [facts.prompt, html`<span class="foreign">${shorten(toForeignText(run.prompt), maxShownPrompt)}</span>`],
    [facts.turn, run.turn > 1 && run.turn],
    [facts.change, run.files > 0 && texts.lines(run.files, run.added, run.removed)],
    [facts.changeBranch, run.changeBranch !== null && html`<code>${run.changeBranch}</code>`],
    [facts.commit, run.commit !== null && html`<code>${run.commit.slice(0, 12)}</code>`],
    [facts.folder, run.folder !== null && html`<code>${toForeignText(run.folder)}</code>`],
    [facts.draft, run.isDraft && texts.yes],
    [facts.calls, isOver && usage.modelCalls],
    [facts.tokens, isOver && texts.tokens(usage.inputTokens, usage.outputTokens)],
    [facts.cost, isOver && (usage.cost ? texts.cost(usage.cost.amount, usage.cost.currency) : texts.unknownCost)],
    [facts.queued, run.turn > 1 && time(queuedAt)],
    [facts.waited, startedAt !== null && describeDuration(startedAt - queuedAt)],
    [facts.duration, startedAt !== null && describeDuration((endedAt ?? now) - startedAt)],
  ]
}

/** A page of the events of a job, the newest first, so that a reader of a live page sees what happens. */
export async function showLog(
  visit: Visit,
  { agentRuns }: Pick<DashboardDeps, 'agentRuns'>,
  run: AgentRun,
): Promise<Markup> {
  const { projectId, jobId, events: count } = run
  const asked = readNumber(visit, 'to') ?? count
  const to = Math.min(Math.max(asked, 1), count)
  // Only instructions and ends are left of the expired events, so one page has them all.
  const from = to - eventsPerPage > run.expiredEvents ? to - eventsPerPage : 0
  const listed = count === 0 ? [] : await agentRuns.listEvents(projectId, jobId, from, to - from)
  const events = listed.filter(({ sequence }) => sequence <= to)
  const link = (query: string, label: string) =>
    html`<a class="button" href="${visit.link(agentJobPath({ projectId, id: jobId }))}${query}#agent-log">${label}</a> `
  const newest = to < count && link('', texts.newestEvents)
  const older = from > 0 && link(`?to=${from}`, texts.olderEvents)
  const whole = readNumber(visit, 'event')
  return html`<h2>${texts.logTitle}</h2>
<p class="hint">${texts.logOrder}${(newest || older) && ` ${texts.logPart(from + 1, to, count)}`}</p>
${run.expiredEvents > 0 && html`<p class="notice">${texts.expired(run.expiredEvents)}</p>`}${count === 0 && html`<p>${texts.noEvents}</p>`}<ol class="log" reversed start="${to}">${events.reverse().map(event => showEvent(visit, run, { event, isWhole: event.sequence === whole, to }))}</ol>
${(newest || older) && html`<p>${newest}${older}</p>`}`
}

function readNumber({ query }: Visit, name: string): number | undefined {
  const text = query.get(name) ?? ''
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

function showEvent(
  visit: Visit,
  { projectId, jobId }: AgentRun,
  { event, isWhole, to }: { event: AgentEvent; isWhole: boolean; to: number },
): Markup {
  const { sequence, at, kind, text, outcome } = event
  const shown = toForeignText(text.trimEnd())
  const isCut = !isWhole && shown.length > maxEventCharacters
  const path = visit.link(agentJobPath({ projectId, id: jobId }))
  return html`<li id="event-${sequence}"><p class="quiet"><strong>${texts.kinds[kind]}</strong>${outcome !== undefined && ` (${toForeignText(outcome)})`} ${timeWithSeconds(at)}</p>
<div class="foreign">${isCut ? shorten(shown, maxEventCharacters) : shown}</div>${isCut && html`<p><a href="${path}?to=${to}&amp;event=${sequence}#event-${sequence}">${texts.wholeEvent}</a></p>`}</li>
`
}

/** What a person wrote to an agent, and why it was not sent. */
export interface MessageForm {
  prompt: string
  problem?: string | undefined
}

export function showCancel(visit: Visit, job: AgentJob): Markup {
  const options = { label: texts.cancel, kind: 'danger', confirm: texts.confirmCancel } as const
  return html`<div class="buttons">${actionButton(visit, `${agentJobPath(job)}/cancel`, options)}</div>`
}

/** The form that lets the agent go on, or try again after a failure with the instruction that failed. */
export function showMessageForm(visit: Visit, job: AgentJob, run: AgentRun, form: MessageForm | undefined): Markup {
  const isRetry = runEnds[run.end ?? 'internal'] === 'failed'
  const value = form?.prompt ?? (isRetry ? run.prompt : '')
  const field = { label: texts.message, name: 'prompt', value, hint: texts.messageHint, problem: form?.problem }
  return html`<h2>${isRetry ? texts.retryTitle : texts.messageTitle}</h2>
<form method="post" action="${visit.link(`${agentJobPath(job)}/message`)}" class="card">
${tokenField(visit)}
${linesField(field)}
<p><button class="main">${isRetry ? texts.retry : texts.send}</button></p>
</form>`
}
