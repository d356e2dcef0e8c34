import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { repeat } from '../../base/timer.ts'
import { type Patience, untilStored } from '../../base/until-stored.ts'
import type { NewAgentEvent } from '../agent-event.ts'
import type { AgentRuns, ClaimedRun, RunChange, RunOutcome, RunUsage } from '../agent-run.ts'
import type { Confinement } from '../agent-settings.ts'
import type { AgentSources, Credential } from '../agent-source.ts'
import type { GitSettings } from '../change/git.ts'
import { type OpenedSource, openSource } from '../change/open-source.ts'
import { publishChange } from '../change/publish-change.ts'
import { type Change, takeChange } from '../change/take-change.ts'
import { RunError } from '../run-end.ts'
import type { AgentRunnerSettings } from '../runner-settings.ts'
import { openSession } from '../session/agent-session.ts'
import type { OwnProgram } from '../session/plan-start.ts'
import { createEventBuffer, type EventBuffer } from './event-buffer.ts'
import { removeJobFolder } from './job-folders.ts'
import { runCheck } from './run-check.ts'
import { describeChange, writeInstruction, writeTitle } from './run-texts.ts'

/** What an attempt at a job needs. */
export interface AgentJobDeps {
  agentRuns: AgentRuns
  agentSources: Pick<AgentSources, 'find' | 'findCredential'>
  /** Decrypts the credential of a project. */
  openCredential(projectId: string, sealed: Uint8Array): Credential
  settings: AgentRunnerSettings
  confinement: Confinement
  /** The program that leads the agent to the gate of the model; see `describeProgram`. */
  relay: OwnProgram
  /** Where people see a job, for changes that no forge shows; null = nowhere. */
  pageOf(projectId: string, jobId: string): Promise<string | null>
  /** For the files of jobs. Only this server uses it. */
  workFolder: string
  leaseMs: number
  now(): number
  log: Record<'info' | 'warn' | 'error', (details: object, message: string) => void>
}

/** One attempt at a job, under one lease. */
interface Attempt {
  claimed: ClaimedRun
  folder: string
  signal: AbortSignal
  /** Aborts only when the lease is lost or the server stops: from the push on, nobody cancels the job. */
  pushSignal: AbortSignal
  isPushing: boolean
  events: EventBuffer
  /** Of this attempt. */
  usage: RunUsage
}

/** After this many lost runners, Quire assumes that the job itself ends them. */
const maxInterruptions = 30
/** How long writes wait for a database that is locked or cannot be reached. The lease may be lost meanwhile. */
const storeWaitMs = 60_000
/** How long a runner may not notice that its job was cancelled. */
const maxHeartbeatMs = 1000

const internalFault = "Internal server error. Look for the id of this job in the server's log."

/** Why an attempt ends without an outcome. */
const leaseLost = new Error('the lease of the agent job was lost')

/** Makes one attempt at a claimed job: lets the agent work, publishes its change and records the outcome. */
export async function runAgentJob(deps: AgentJobDeps, claimed: ClaimedRun, stopping: AbortSignal): Promise<void> {
  const { agentRuns, log, now, settings } = deps
  const { run, lease, interruptions } = claimed
  const about = { projectId: run.projectId, jobId: run.jobId, turn: run.turn }
  const ending = new AbortController()
  const losing = new AbortController()
  const heartbeat = repeat(Math.min(deps.leaseMs / 3, maxHeartbeatMs), async () => {
    const state = await renew(deps, claimed)
    if (state === 'lost') losing.abort(leaseLost)
    if (state === 'cancelling') ending.abort(new RunError('cancelled', 'The job was cancelled.'))
  })
  const timer = setTimeout(() => ending.abort(describeTimeLimit(settings.limits.timeoutMs)), settings.limits.timeoutMs)
  const pushSignal = AbortSignal.any([stopping, losing.signal])
  const patience: Patience = { limitMs: storeWaitMs, signal: pushSignal }
  const append = (events: NewAgentEvent[]) => untilStored(() => agentRuns.append(lease, events, now()), patience)
  const attempt: Attempt = {
    claimed,
    folder: join(deps.workFolder, `${run.jobId}-${lease.token}`),
    signal: AbortSignal.any([pushSignal, ending.signal]),
    pushSignal,
    isPushing: false,
    events: createEventBuffer(
      async events => {
        if (!(await append(events))) losing.abort(leaseLost)
      },
      (err, lost) => log.error({ ...about, err, lost }, 'could not store events of an agent job'),
    ),
    usage: { modelCalls: 0, inputTokens: null, outputTokens: null, cost: null },
  }
  const startedAt = performance.now()
  log.info({ ...about, interruptions }, 'agent job started')
  try {
    const outcome = await makeOutcome(deps, attempt)
    await attempt.events.flush()
    const isEnded = await storeEnd(deps, claimed, outcome, patience)
    const durationMs = Math.round(performance.now() - startedAt)
    if (isEnded) log.info({ ...about, end: outcome.end, durationMs }, 'agent job ended')
    else log.warn(about, 'another runner has the lease of the agent job')
  } catch (error) {
    if (error === leaseLost) return log.warn(about, 'another runner has the lease of the agent job')
    if (!stopping.aborted)
      return log.error(
        { ...about, err: error },
        'could not store the end of an agent job; it begins again after its lease',
      )
    // Another runner begins again.
    await attempt.events.flush()
    await agentRuns.release(lease)
    log.info(about, 'agent job interrupted by the shutdown; it begins again after the next start')
  } finally {
    clearTimeout(timer)
    await heartbeat.stop()
    await removeJobFolder(attempt.folder).catch(error =>
      log.warn({ ...about, err: error }, 'could not remove the files of an agent job'),
    )
  }
}

/** An outcome that the database refuses must not begin the job again, and again. */
async function storeEnd(deps: AgentJobDeps, { lease, run }: ClaimedRun, outcome: RunOutcome, patience: Patience) {
  const { agentRuns, log, now } = deps
  const store = (outcome: RunOutcome) => untilStored(() => agentRuns.end(lease, outcome, now()), patience)
  try {
    return await store(outcome)
  } catch (error) {
    if (patience.signal.aborted) throw error
    log.error({ err: error, projectId: run.projectId, jobId: run.jobId }, 'could not store the outcome of an agent job')
    return store({ ...outcome, end: 'internal', explanation: internalFault, change: null })
  }
}

/** A write can fail because the database is busy. That does not mean that the lease is lost. */
async function renew({ agentRuns, leaseMs, now, log }: AgentJobDeps, { lease }: ClaimedRun) {
  try {
    return await agentRuns.heartbeat(lease, leaseMs, now())
  } catch (error) {
    log.warn({ err: error, jobId: lease.jobId }, 'could not renew the lease of the agent job; it tries again')
    return 'held'
  }
}

/** @throws what ends the attempt without an outcome: the lost lease, or the reason of `stopping`. */
async function makeOutcome(deps: AgentJobDeps, attempt: Attempt): Promise<RunOutcome> {
  const { claimed } = attempt
  const without = { prLink: null, change: null }
  const sumUsage = () => addUsage(claimed.run.usage, attempt.usage)
  try {
    if (claimed.interruptions > maxInterruptions) throw describeInterruptions(claimed.interruptions)
    const { prLink, change } = await work(deps, attempt)
    const end = change ? 'changed' : 'no_change'
    return { end, explanation: describeChange(change), prLink, change, usage: sumUsage() }
  } catch (thrown) {
    const signal = attempt.isPushing ? attempt.pushSignal : attempt.signal
    const error = signal.aborted ? signal.reason : thrown
    const { projectId, jobId } = claimed.run
    if (error instanceof RunError) {
      const reason = error.cause instanceof Error && error.cause.message
      if (reason) deps.log.info({ projectId, jobId, end: error.code, reason }, 'why an agent job ended')
      return { end: error.code, explanation: error.message, ...without, usage: sumUsage() }
    }
    if (signal.aborted || error === leaseLost) throw error
    deps.log.error({ err: error, projectId, jobId }, 'agent job failed')
    return { end: 'internal', explanation: internalFault, ...without, usage: sumUsage() }
  }
}

/** Lets the agent work and publishes its change. Null = nothing changed. */
async function work(
  deps: AgentJobDeps,
  attempt: Attempt,
): Promise<{ prLink: string | null; change: RunChange | null }> {
  const { claimed, folder, signal, pushSignal, events } = attempt
  const { run, job } = claimed
  const source = await deps.agentSources.find(run.projectId)
  if (!source) throw new RunError('source_unavailable', 'The project has no repository for agents any more.')
  const sealed = await deps.agentSources.findCredential(run.projectId)
  const credential = sealed ? deps.openCredential(run.projectId, sealed) : null
  const [scratch, home] = [join(folder, 'git'), join(folder, 'home')]
  for (const path of [scratch, home, join(folder, 'gate')]) await mkdir(path, { recursive: true, mode: 0o700 })
  const git: GitSettings = { scratch, signal, credential }

  events.add({ kind: 'state', text: `Read the branch ${run.branch} of the repository.` })
  const opened = await openSource(source, {
    ...git,
    bare: join(folder, 'repository.git'),
    tree: join(folder, 'tree'),
    branch: run.branch,
    folder: run.folder ?? undefined,
    continueFrom: run.turn > 1 ? (run.changeBranch ?? undefined) : undefined,
  })
  await instruct(deps, attempt, opened)
  const { title, message } = writeTitle(run, job)
  const change = await takeChange(opened, { ...git, limits: deps.settings.limits, message, now: run.queuedAt })
  if (!change) return { prLink: null, change: null }

  signal.throwIfAborted()
  attempt.isPushing = true
  events.add({ kind: 'state', text: `Push the change: ${describeChange(change)}` })
  // The pull request of an earlier instruction stays known: if this runner is lost now, the next one goes on from it.
  await hold(deps, claimed, run.changeBranch ?? `quire/${run.jobId}`, change)
  const asked = { ...source, branch: run.branch, isDraft: run.isDraft }
  const published = await publishChange(asked, opened, change, {
    ...git,
    signal: pushSignal,
    jobId: run.jobId,
    earlierCommit: run.commit,
    title,
    body: message,
  })
  await hold(deps, claimed, published.branch, change)
  const prLink = published.prLink ?? (source.forge === 'branch' ? await deps.pageOf(run.projectId, run.jobId) : null)
  return { prLink, change }
}

/** Stores what is pushed, if the lease is still held. */
async function hold({ agentRuns }: AgentJobDeps, { lease }: ClaimedRun, branch: string, { commit }: Change) {
  if (!(await agentRuns.notePush(lease, branch, commit))) throw leaseLost
}

/** Gives the instruction to the agent. If the check fails then, the agent gets its output, once. */
async function instruct(deps: AgentJobDeps, attempt: Attempt, opened: OpenedSource): Promise<void> {
  const { settings } = deps
  const { run } = attempt.claimed
  // An agent remembers nothing of an earlier turn.
  const earlier = (await deps.agentRuns.listPrompts(run.projectId, run.jobId)).slice(0, run.turn - 1)
  await takeTurn(deps, attempt, opened, writeInstruction(run.prompt, earlier))
  if (settings.check === undefined) return
  const check = () => runCheck(settings.check as string, { ...deps, ...attempt, opened })
  const failed = await check()
  if (failed === undefined) return
  await takeTurn(deps, attempt, opened, writeInstruction(run.prompt, earlier, failed))
  const again = await check()
  if (again !== undefined)
    throw new RunError('check_failed', 'The check of the operator still fails after the agent was told its output.')
}

async function takeTurn(deps: AgentJobDeps, attempt: Attempt, opened: OpenedSource, text: string): Promise<void> {
  const { settings, confinement, relay } = deps
  const { folder, signal, events, usage } = attempt
  events.add({ kind: 'state', text: `Start the agent ${settings.agent.name}.` })
  const limits = { ...settings.limits, modelCalls: settings.limits.modelCalls - usage.modelCalls }
  const session = await openSession({
    ...{ agent: settings.agent, confinement, relay, endpoint: settings.endpoint, limits, signal },
    ...{ work: opened.tree, home: join(folder, 'home'), scratch: join(folder, 'gate') },
    onEvent: events.add,
  })
  try {
    await session.prompt(text)
  } finally {
    // Nothing may change the tree while it is read.
    await session.close()
    attempt.usage = addUsage(usage, session.usage())
  }
}

function addUsage(before: RunUsage, more: RunUsage): RunUsage {
  const sum = (a: number | null, b: number | null) => (a === null ? b : a + (b ?? 0))
  return {
    modelCalls: before.modelCalls + more.modelCalls,
    inputTokens: sum(before.inputTokens, more.inputTokens),
    outputTokens: sum(before.outputTokens, more.outputTokens),
    cost: addCost(before.cost, more.cost),
  }
}

/** Amounts of two currencies have no sum: the later one stays. */
function addCost(before: RunUsage['cost'], more: RunUsage['cost']): RunUsage['cost'] {
  if (before === null || more === null) return more ?? before
  const { amount, currency } = more
  return { currency, amount: amount + (before.currency === currency ? before.amount : 0) }
}

function describeTimeLimit(timeoutMs: number): RunError {
  return new RunError('time_limit', `The job took longer than ${Math.round(timeoutMs / 60_000)} minutes.`)
}

function describeInterruptions(interruptions: number): RunError {
  return new RunError(
    'interrupted',
    `${interruptions} runners were lost with this job. Look for the cause in their logs.`,
  )
}
