import type { Awaitable } from '../base/awaitable.ts'
import { all, atomic, get, inPostgres, onlyPostgres, run, sql, type Works } from './noun.ts'

/** How much belongs to a project. */
export interface ProjectSize {
  sites: number
  agentJobs: number
  /** Valid keys that only this project can be used with. */
  keys: number
}

/** Deletes a project. The caller deletes the files of its visits and the export caches of its sites, before and after. */
export interface ProjectRemoval {
  count(id: string): Awaitable<ProjectSize>
  /** Deletes the project with its visits, sites and agent jobs, and revokes the keys that work only with it. Exports stay. */
  finish(id: string, now: number): Awaitable<void>
}

type Id = { id: string }

const slow = { isSlow: true }
const isOwnKey = 'project_ids = @id AND revoked_at IS NULL'
const count = sql<Id, ProjectSize>(
  `SELECT (SELECT count(*) FROM sites WHERE project_id = @id) AS sites,
     (SELECT count(*) FROM agent_jobs WHERE project_id = @id) AS "agentJobs",
     (SELECT count(*) FROM api_keys WHERE ${isOwnKey}) AS keys`,
  slow,
)
// A process that follows a log may count first visits of the project until then.
const lock = onlyPostgres<Id, object>('SELECT 1 FROM projects WHERE id = @id FOR UPDATE')
// Every change of all servers may wait for this transaction, so it does not wait for a long import: the command is repeated.
const waitShortly = onlyPostgres<object>("SET LOCAL lock_timeout = '2s'")
const lockVisits = onlyPostgres<Id, object>('SELECT 1 FROM visited_projects WHERE project_id = @id FOR UPDATE')
const revokeKeys = sql<Id & { now: number }>(`UPDATE api_keys SET revoked_at = @now WHERE ${isOwnKey}`)
const deletions = [
  'DELETE FROM agent_jobs WHERE project_id = @id',
  'DELETE FROM sites WHERE project_id = @id',
  'DELETE FROM projects WHERE id = @id',
].map(text => sql<Id>(text, slow))

export const projectRemoval: Works<ProjectRemoval> = {
  *count(id) {
    return (yield* get(count, { id })) as ProjectSize
  },
  finish: atomic(function* (id: string, now: number) {
    yield* all(lock, { id })
    yield* run(waitShortly, {})
    yield* all(lockVisits, { id })
    // On SQLite, they are in files, which the caller deletes.
    yield* inPostgres(async within => {
      const { deleteProjectVisits } = await import('./postgres/visits/prune-visits.ts')
      await deleteProjectVisits(within, id)
    })
    yield* run(revokeKeys, { id, now })
    for (const deletion of deletions) yield* run(deletion, { id })
  }),
}
