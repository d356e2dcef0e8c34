import type { Awaitable } from '../base/awaitable.ts'
import type { AgentEvent, NewAgentEvent } from './agent-event.ts'
import type { AgentJob } from './agent-job.ts'
import type { RunEnd } from './run-end.ts'

/** What the agent used, as far as it is known. */
export interface RunUsage {
  modelCalls: number
  /** Null = the agent did not say. */
  inputTokens: number | null
  outputTokens: number | null
  cost: { amount: number; currency: string } | null
}

export interface ChangedFile {
  path: string
  status: 'added' | 'changed' | 'removed'
  /** Lines. */
  added: number
  removed: number
}

/** What the agent changed, against the branch that the change is for. */
export interface RunChange {
  files: readonly ChangedFile[]
  /** In the unified format. */
  diff: string
  isDiffCut: boolean
}

/** How Quire works on an agent job: what the administration API does not tell of it. */
export interface AgentRun {
  projectId: string
  jobId: string
  state: 'queued' | 'running' | 'ended'
  /** The last instruction. */
  prompt: string
  /** Counts the instructions, from 1. */
  turn: number
  /** The branch that the change is for. */
  branch: string
  /** Agents may change only this folder of those of the source; null = all of them. */
  folder: string | null
  isDraft: boolean
  /** The branch with the change, and its last commit that was pushed. */
  changeBranch: string | null
  commit: string | null
  /** Null until the run has ended. */
  end: RunEnd | null
  /** How it ended, in a sentence; null until then. */
  explanation: string | null
  /** Sums of the change; 0 without one. */
  files: number
  added: number
  removed: number
  usage: RunUsage
  /** How many events the job has had. */
  events: number
  /** Events up to this number were deleted by their age, except instructions and ends, and with them the change. 0 = none. */
  expiredEvents: number
  isCancelling: boolean
  queuedAt: number
  startedAt: number | null
  endedAt: number | null
}

export type RunSummary = Pick<AgentRun, 'jobId' | 'prompt' | 'end'>
export type NewAgentRun = Pick<AgentRun, 'prompt' | 'branch' | 'folder' | 'isDraft'>

/** Limits of each project on jobs that are not archived. */
export interface AgentJobLimits {
  /** Jobs that are queued or running. */
  active: number
  /** Jobs that have a pull request. */
  openPullRequests: number
}

/** The limit that refuses an instruction. */
export type SpentLimit = keyof AgentJobLimits

export interface RunLease {
  projectId: string
  jobId: string
  token: number
}

export interface ClaimedRun {
  run: AgentRun
  job: AgentJob
  lease: RunLease
  /** How many runners had this turn before and were lost. */
  interruptions: number
}

/** The longest instruction, as in the document of the API. */
export const maxPromptCharacters = 20_000

export interface RunOutcome {
  end: RunEnd
  explanation: string
  prLink: string | null
  change: RunChange | null
  usage: RunUsage
}

export interface AgentRuns {
  /** Stores a job and its run. Returns the limit that refuses it, and undefined if none does. */
  start(job: AgentJob, run: NewAgentRun, limits: AgentJobLimits): Awaitable<SpentLimit | undefined>
  /**
   * Makes an ended job active again with one more instruction. Returns why not: a limit, what the job is (active or archived), or that
   * Quire did not run it; undefined if it is queued.
   */
  instruct(
    job: Pick<AgentJob, 'projectId' | 'id'>,
    instruction: { prompt: string; limits: AgentJobLimits; now: number },
  ): Awaitable<SpentLimit | 'isActive' | 'isArchived' | 'notRun' | undefined>
  find(projectId: string, jobId: string): Awaitable<AgentRun | undefined>
  /** Returns how jobs ended and the beginning of their last instructions. Jobs that Quire did not run are left out. */
  listSummaries(projectId: string, jobIds: readonly string[]): Awaitable<RunSummary[]>
  findChange(projectId: string, jobId: string): Awaitable<RunChange | undefined>
  /** Returns events after a sequence number, in order. */
  listEvents(projectId: string, jobId: string, after: number, limit: number): Awaitable<AgentEvent[]>
  /** Returns all instructions so far, in order. */
  listPrompts(projectId: string, jobId: string): Awaitable<string[]>
  /** Ends a queued run at once, also one whose runner is lost, and marks a running one. Returns false if it has ended. */
  cancel(projectId: string, jobId: string, now: number): Awaitable<boolean>
  /** Deletes at most `limit` events, and the changes, of runs that ended before a time. Instructions and ends stay. Returns how many it looked at. */
  expireLogs(endedBefore: number, limit: number): Awaitable<number>

  /** Whether a run is queued, or is or was at work. */
  hasOpen(): Awaitable<boolean>
  /** Takes the oldest run that waits or whose runner is lost, of a project that has less than `perProject` at work. */
  claim(
    owner: string,
    options: { model: string; perProject: number; leaseMs: number; now: number },
  ): Awaitable<ClaimedRun | undefined>
  heartbeat(lease: RunLease, leaseMs: number, now: number): Awaitable<'held' | 'cancelling' | 'lost'>
  /** Appends events in order. Returns false if the lease is lost. */
  append(lease: RunLease, events: readonly NewAgentEvent[], now: number): Awaitable<boolean>
  /** Stores which commit is going to be pushed, so that the next runner knows it as a commit of this job. */
  notePush(lease: RunLease, changeBranch: string, commit: string): Awaitable<boolean>
  /** Ends the run and the job. Returns false if the lease is lost. */
  end(lease: RunLease, outcome: RunOutcome, now: number): Awaitable<boolean>
  /** Gives the run back, for another runner. */
  release(lease: RunLease): Awaitable<boolean>
}
