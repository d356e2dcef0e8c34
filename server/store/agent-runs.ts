import { type AgentJob, transition } from '../agent/agent-job.ts'
import type { AgentJobLimits, AgentRun, AgentRuns, RunOutcome, SpentLimit } from '../agent/agent-run.ts'
import { type RunEnd, runEnds } from '../agent/run-end.ts'
import { agentJobs } from './agent-jobs.ts'
import { agentLogs, appendEvents, toStorable } from './agent-logs.ts'
import { all, atomic, get, run, sql, type Work, type Works } from './noun.ts'

/** A row of the table `agent_runs`, without its change. */
interface AgentRunRow {
  project_id: string
  job_id: string
  state: AgentRun['state']
  prompt: string
  turn: number
  branch: string
  folder: string | null
  is_draft: number
  change_branch: string | null
  commit_id: string | null
  pr_link: string | null
  run_end: RunEnd | null
  explanation: string | null
  files: number
  added: number
  removed: number
  usage: string
  events: number
  expired_events: number
  is_cancelling: number
  interruptions: number
  queued_at: number
  started_at: number | null
  ended_at: number | null
  lease_token: number
}

function toAgentRun(row: AgentRunRow): AgentRun {
  return {
    projectId: row.project_id,
    jobId: row.job_id,
    state: row.state,
    prompt: row.prompt,
    turn: row.turn,
    branch: row.branch,
    folder: row.folder,
    isDraft: row.is_draft === 1,
    changeBranch: row.change_branch,
    commit: row.commit_id,
    end: row.run_end,
    explanation: row.explanation,
    files: row.files,
    added: row.added,
    removed: row.removed,
    usage: JSON.parse(row.usage),
    events: row.events,
    expiredEvents: row.expired_events,
    isCancelling: row.is_cancelling === 1,
    queuedAt: row.queued_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
  }
}

interface Id {
  projectId: string
  jobId: string
}
type Held = Id & { token: number }

const maxSummaryCharacters = 200
/** A lease that ends later was renewed before the clock was set back. */
const maxLeaseMs = 3_600_000

const columns = `project_id, job_id, state, prompt, turn, branch, folder, is_draft, change_branch, commit_id, pr_link, run_end, explanation,
  files, added, removed, usage, events, expired_events, is_cancelling, interruptions, queued_at, started_at, ended_at, lease_token`
const isIt = 'project_id = @projectId AND job_id = @jobId'
const isHeld = `${isIt} AND lease_token = @token AND state = 'running'`
const isOpenRun = "state IN ('queued', 'running')"

// Locked, so that the starts of one project see each other's jobs.
const lockProject = sql<{ projectId: string }, object>('SELECT 1 AS one FROM projects WHERE id = @projectId FOR UPDATE')
const countOpen = sql<{ projectId: string }, { active: number; open: number }>(
  `SELECT (SELECT count(*) FROM agent_runs WHERE project_id = @projectId AND ${isOpenRun}) AS active,
     (SELECT count(*) FROM agent_runs JOIN agent_jobs ON agent_jobs.project_id = agent_runs.project_id AND id = job_id
      WHERE agent_runs.project_id = @projectId AND status = 'completed' AND agent_jobs.pr_link IS NOT NULL) AS open`,
)
const insert = sql<Id & { prompt: string; branch: string; folder: string | null; isDraft: number; now: number }>(
  `INSERT INTO agent_runs (project_id, job_id, state, prompt, branch, folder, is_draft, queued_at)
   VALUES (@projectId, @jobId, 'queued', @prompt, @branch, @folder, @isDraft, @now)`,
)
const find = sql<Id, AgentRunRow>(`SELECT ${columns} FROM agent_runs WHERE ${isIt}`)
// The beginning of the instruction, because pages with many runs are read every few seconds.
const listSummaries = sql<
  { projectId: string; jobIds: string },
  { job_id: string; prompt: string; run_end: RunEnd | null }
>(({ isPostgres }) => {
  const jobIds = isPostgres ? 'SELECT json_array_elements_text(@jobIds::json)' : 'SELECT value FROM json_each(@jobIds)'
  return `SELECT job_id, substr(prompt, 1, ${maxSummaryCharacters}) AS prompt, run_end FROM agent_runs
   WHERE project_id = @projectId AND job_id IN (${jobIds})`
})
const findChange = sql<Id, { change: string | null }>(`SELECT change FROM agent_runs WHERE ${isIt}`)
const instruct = sql<Id & { prompt: string; now: number }>(
  `UPDATE agent_runs SET state = 'queued', prompt = @prompt, turn = turn + 1, run_end = NULL, explanation = NULL, is_cancelling = 0,
     interruptions = 0, queued_at = @now, started_at = NULL, ended_at = NULL,
     pr_link = coalesce((SELECT agent_jobs.pr_link FROM agent_jobs WHERE agent_jobs.project_id = @projectId AND id = @jobId), pr_link)
   WHERE ${isIt} AND state = 'ended'`,
)
const reopen = sql<Id & { now: number }>(
  `UPDATE agent_jobs SET status = 'active', pr_link = NULL, changed_at = @now
   WHERE project_id = @projectId AND id = @jobId AND status IN ('completed', 'failed')`,
)
const lockCancelled = sql<Id & { now: number }, AgentRunRow & { is_lost: number }>(
  ({ now }) =>
    `SELECT ${columns}, CASE WHEN lease_expires_at <= ${now} THEN 1 ELSE 0 END AS is_lost FROM agent_runs WHERE ${isIt} FOR UPDATE`,
)
const lockRun = sql<Id, AgentRunRow>(`SELECT ${columns} FROM agent_runs WHERE ${isIt} FOR UPDATE`)
const markCancelling = sql<Id>(`UPDATE agent_runs SET is_cancelling = 1 WHERE ${isIt} AND ${isOpenRun}`)

const findOpen = sql<object, object>(`SELECT 1 AS one FROM agent_runs WHERE ${isOpenRun} LIMIT 1`)

// Other nodes that claim at the same time skip the row that this one has locked.
const claim = sql<{ owner: string; now: number; leaseMs: number; perProject: number }, AgentRunRow>(
  ({ now }) => `UPDATE agent_runs SET state = 'running', lease_owner = @owner, lease_token = lease_token + 1,
     lease_expires_at = ${now} + @leaseMs, started_at = coalesce(started_at, ${now}),
     interruptions = interruptions + (CASE WHEN state = 'running' THEN 1 ELSE 0 END)
   WHERE (project_id, job_id) = (SELECT project_id, job_id FROM agent_runs AS next
     WHERE ${isOpenRun} AND (state = 'queued' OR lease_expires_at <= ${now} OR lease_expires_at > ${now} + ${maxLeaseMs})
       AND (SELECT count(*) FROM agent_runs AS other
         WHERE other.project_id = next.project_id AND other.state = 'running' AND other.lease_expires_at > ${now})
         < CAST(@perProject AS bigint)
     ORDER BY queued_at, job_id LIMIT 1 FOR UPDATE SKIP LOCKED)
   RETURNING ${columns}`,
)
const countRunning = sql<{ projectId: string; now: number }, { running: number }>(
  ({ now }) => `SELECT count(*) AS running FROM agent_runs
   WHERE project_id = @projectId AND state = 'running' AND lease_expires_at > ${now}`,
)
const setModel = sql<Id & { model: string }>(
  'UPDATE agent_jobs SET model = @model WHERE project_id = @projectId AND id = @jobId',
)
const heartbeat = sql<Held & { leaseMs: number; now: number }, { is_cancelling: number }>(
  ({ now }) => `UPDATE agent_runs SET lease_expires_at = ${now} + @leaseMs WHERE ${isHeld} RETURNING is_cancelling`,
  { isRepeatable: true },
)
const notePush = sql<Held & { changeBranch: string; commit: string }>(
  `UPDATE agent_runs SET change_branch = @changeBranch, commit_id = @commit WHERE ${isHeld}`,
  { isRepeatable: true },
)
const end = sql<
  Id &
    Pick<AgentRun, 'files' | 'added' | 'removed'> & {
      end: RunEnd
      explanation: string
      change: string | null
      usage: string
      prLink: string | null
      now: number
    }
>(
  `UPDATE agent_runs SET state = 'ended', run_end = @end, explanation = @explanation, files = @files, added = @added,
     removed = @removed, change = coalesce(@change, change), usage = @usage, pr_link = @prLink, ended_at = @now, lease_owner = NULL,
     lease_expires_at = NULL
   WHERE ${isIt}`,
)
const lockHeld = sql<Held, AgentRunRow>(`SELECT ${columns} FROM agent_runs WHERE ${isHeld} FOR UPDATE`)
const release = sql<Held>(
  `UPDATE agent_runs SET state = 'queued', lease_owner = NULL, lease_expires_at = NULL WHERE ${isHeld}`,
)

/** Returns the limit of the project that is spent. */
function* findSpentLimit(projectId: string, limits: AgentJobLimits): Work<SpentLimit | undefined> {
  yield* all(lockProject, { projectId })
  const { active, open } = (yield* get(countOpen, { projectId })) as { active: number; open: number }
  if (active >= limits.active) return 'active'
  return open >= limits.openPullRequests ? 'openPullRequests' : undefined
}

/** Ends the run and its job. The caller has locked the run. */
function* endRun(row: AgentRunRow, outcome: RunOutcome, now: number): Work<void> {
  const { project_id: projectId, job_id: jobId } = row
  const { end: reason, change, usage } = outcome
  const explanation = toStorable(`${outcome.explanation}${change ? '' : describeEarlierChange(row)}`)
  const prLink = outcome.prLink ?? row.pr_link
  const sum = (of: 'added' | 'removed') => change?.files.reduce((total, file) => total + file[of], 0) ?? row[of]
  yield* run(end, {
    ...{ projectId, jobId, end: reason, explanation, prLink, now, files: change?.files.length ?? row.files },
    ...{ added: sum('added'), removed: sum('removed'), usage: JSON.stringify(usage) },
    change: change && toStorable(JSON.stringify(change)),
  })
  yield* appendEvents({ projectId, jobId }, [{ kind: 'end', text: explanation, outcome: reason }], now)
  const job = yield* agentJobs.find(projectId, jobId)
  if (job?.status !== 'active') return
  const next: AgentJob = { ...transition(job, runEnds[reason], now), prLink }
  yield* agentJobs.update(next, 'active')
}

/** Says where the change of earlier instructions is, which readers see also after a later instruction has failed. */
function describeEarlierChange({ turn, files, change_branch }: AgentRunRow): string {
  if (turn === 1 || files === 0 || change_branch === null) return ''
  return ` The earlier change stays on ${change_branch}.`
}

export const agentRuns: Works<AgentRuns> = {
  ...agentLogs,
  start: atomic(function* (...[job, given, limits]: Parameters<AgentRuns['start']>) {
    const { projectId, id: jobId } = job
    const spent = yield* findSpentLimit(projectId, limits)
    if (spent) return spent
    yield* agentJobs.insert(job)
    const { branch, folder, isDraft } = given
    const prompt = toStorable(given.prompt)
    yield* run(insert, { projectId, jobId, prompt, branch, folder, isDraft: +isDraft, now: job.createdAt })
    yield* appendEvents({ projectId, jobId }, [{ kind: 'prompt', text: prompt }], job.createdAt)
    return undefined
  }),
  instruct: atomic(function* (
    ...[{ projectId, id: jobId }, { limits, now, ...given }]: Parameters<AgentRuns['instruct']>
  ) {
    const prompt = toStorable(given.prompt)
    const spent = yield* findSpentLimit(projectId, limits)
    const row = yield* get(lockRun, { projectId, jobId })
    if (!row) return 'notRun'
    if (row.state !== 'ended') return 'isActive'
    const job = yield* agentJobs.find(projectId, jobId)
    if (job?.status === 'archived') return 'isArchived'
    if (spent === 'active') return spent
    yield* run(instruct, { projectId, jobId, prompt, now })
    yield* run(reopen, { projectId, jobId, now })
    yield* appendEvents({ projectId, jobId }, [{ kind: 'prompt', text: prompt }], now)
    return undefined
  }),
  *find(projectId, jobId) {
    const row = yield* get(find, { projectId, jobId })
    return row && toAgentRun(row)
  },
  *listSummaries(projectId, jobIds) {
    const rows = yield* all(listSummaries, { projectId, jobIds: JSON.stringify(jobIds) })
    return rows.map(({ job_id: jobId, prompt, run_end: end }) => ({ jobId, prompt, end }))
  },
  *findChange(projectId, jobId) {
    const change = (yield* get(findChange, { projectId, jobId }))?.change
    return change == null ? undefined : JSON.parse(change)
  },
  cancel: atomic(function* (projectId: string, jobId: string, now: number) {
    const row = yield* get(lockCancelled, { projectId, jobId, now })
    if (!row || row.state === 'ended') return false
    yield* run(markCancelling, { projectId, jobId })
    if (row.state === 'queued' || row.is_lost === 1) yield* endRun(row, cancelled(row), now)
    return true
  }),
  *hasOpen() {
    return (yield* get(findOpen, {})) !== undefined
  },
  claim: atomic(function* (...[owner, { model, perProject, leaseMs, now }]: Parameters<AgentRuns['claim']>) {
    const row = yield* get(claim, { owner, now, leaseMs, perProject })
    if (!row) return undefined
    const { project_id: projectId, job_id: jobId } = row
    const lease = { projectId, jobId, token: row.lease_token }
    // Another node may have claimed a run of the project at the same moment, which this statement sees.
    yield* all(lockProject, { projectId })
    const { running } = (yield* get(countRunning, { projectId, now })) as { running: number }
    if (running > perProject) {
      yield* run(release, lease)
      return undefined
    }
    yield* run(setModel, { projectId, jobId, model })
    const job = (yield* agentJobs.find(projectId, jobId)) as AgentJob
    return { run: toAgentRun(row), job, lease, interruptions: row.interruptions }
  }),
  *heartbeat(lease, leaseMs, now) {
    const row = yield* get(heartbeat, { ...lease, leaseMs, now })
    if (!row) return 'lost'
    return row.is_cancelling === 1 ? 'cancelling' : 'held'
  },
  append: atomic(function* (...[lease, events, now]: Parameters<AgentRuns['append']>) {
    if (!(yield* get(lockHeld, { ...lease }))) return false
    yield* appendEvents(lease, events, now)
    return true
  }),
  *notePush(lease, changeBranch, commit) {
    return (yield* run(notePush, { ...lease, changeBranch, commit })) === 1
  },
  end: atomic(function* (...[lease, outcome, now]: Parameters<AgentRuns['end']>) {
    const row = yield* get(lockHeld, { ...lease })
    if (row) yield* endRun(row, outcome, now)
    return row !== undefined
  }),
  *release(lease) {
    return (yield* run(release, { ...lease })) === 1
  },
}

function cancelled(row: AgentRunRow): RunOutcome {
  const explanation =
    row.state === 'queued'
      ? 'The job was cancelled before an agent began.'
      : 'The job was cancelled after its runner was lost.'
  return { end: 'cancelled', explanation, prLink: null, change: null, usage: JSON.parse(row.usage) }
}
