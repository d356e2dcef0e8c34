import type { AgentEventKind, NewAgentEvent } from '../agent/agent-event.ts'
import type { AgentRuns } from '../agent/agent-run.ts'
import { all, atomic, get, run, sql, type Work, type Works } from './noun.ts'

interface Id {
  projectId: string
  jobId: string
}

const isIt = 'project_id = @projectId AND job_id = @jobId'

const addEvents = sql<Id & { count: number }, { events: number }>(
  `UPDATE agent_runs SET events = events + @count WHERE ${isIt} RETURNING events`,
)
const insertEvent = sql<
  Id & { sequence: number; at: number; kind: AgentEventKind; text: string; outcome: string | null }
>(
  `INSERT INTO agent_events (project_id, job_id, sequence, at, kind, text, outcome)
   VALUES (@projectId, @jobId, @sequence, @at, @kind, @text, @outcome)`,
)
const listEvents = sql<
  Id & { after: number; limit: number },
  { sequence: number; at: number; kind: AgentEventKind; text: string; outcome: string | null }
>(
  `SELECT sequence, at, kind, text, outcome FROM agent_events
   WHERE ${isIt} AND sequence > CAST(@after AS bigint) ORDER BY sequence LIMIT @limit`,
)
const listPrompts = sql<Id, { text: string }>(
  `SELECT text FROM agent_events WHERE ${isIt} AND kind = 'prompt' ORDER BY sequence`,
)
const findOldLog = sql<
  { endedBefore: number },
  { project_id: string; job_id: string; events: number; expired_events: number }
>(
  `SELECT project_id, job_id, events, expired_events FROM agent_runs
   WHERE state = 'ended' AND expired_events < events AND ended_at < @endedBefore
   ORDER BY ended_at LIMIT 1 FOR UPDATE`,
)
const deleteEvents = sql<Id & { after: number; until: number }>(
  `DELETE FROM agent_events WHERE ${isIt} AND kind NOT IN ('prompt', 'end')
     AND sequence > CAST(@after AS bigint) AND sequence <= CAST(@until AS bigint)`,
)
const markExpired = sql<Id & { until: number }>(
  `UPDATE agent_runs SET expired_events = @until, change = NULL WHERE ${isIt}`,
)

/** Appends events to the log of a job. The caller has locked its run. */
export function* appendEvents(id: Id, events: readonly NewAgentEvent[], at: number): Work<void> {
  if (events.length === 0) return
  const { projectId, jobId } = id
  const { events: last } = (yield* get(addEvents, { projectId, jobId, count: events.length })) as { events: number }
  for (const [index, { kind, text, outcome = null }] of events.entries()) {
    const sequence = last - events.length + index + 1
    yield* run(insertEvent, { projectId, jobId, sequence, at, kind, text: toStorable(text), outcome })
  }
}

/** PostgreSQL stores no NUL and no half of a surrogate pair, and agents write what they like. */
export function toStorable(text: string): string {
  return text.replaceAll('\0', '\u{fffd}').toWellFormed()
}

/** What agents said and did, which is kept for a time only. */
export const agentLogs: Pick<Works<AgentRuns>, 'listEvents' | 'listPrompts' | 'expireLogs'> = {
  *listEvents(projectId, jobId, after, limit) {
    const rows = yield* all(listEvents, { projectId, jobId, after, limit })
    return rows.map(({ outcome, ...event }) => ({ ...event, ...(outcome !== null && { outcome }) }))
  },
  *listPrompts(projectId, jobId) {
    return (yield* all(listPrompts, { projectId, jobId })).map(({ text }) => text)
  },
  expireLogs: atomic(function* (endedBefore: number, limit: number) {
    let left = limit
    while (left > 0) {
      const row = yield* get(findOldLog, { endedBefore })
      if (!row) break
      const id = { projectId: row.project_id, jobId: row.job_id }
      const after = row.expired_events
      const until = Math.min(row.events, after + left)
      yield* run(deleteEvents, { ...id, after, until })
      yield* run(markExpired, { ...id, until })
      left -= until - after
    }
    return limit - left
  }),
}
