import type { Awaitable } from '../base/awaitable.ts'
import { all, atomic, get, inPostgres, onlyPostgres, run, sql, type Works } from './noun.ts'

/** How much belongs to an organization. */
export interface OrganizationSize {
  projects: number
  sites: number
  keys: number
  people: number
  agentJobs: number
  exports: number
}

/** What belongs to an organization outside the database. */
interface OrganizationFiles {
  /** Project ids; each may have visits. */
  projects: string[]
  /** The names of bundles. */
  bundles: string[]
  /** The domains of sites; each may have an export cache. */
  domains: string[]
}

/**
 * Deletes an organization in three steps, so that a killed deletion can be repeated: `begin`, then the caller deletes the
 * files, then `finish`.
 */
export interface OrganizationRemoval {
  count(id: string): Awaitable<OrganizationSize>
  /**
   * Revokes the keys, ends the sessions and deletes the exports that do not run, so that nothing new begins. Changes nothing,
   * and returns the ids of the running exports, if there are any.
   */
  begin(id: string, now: number): Awaitable<OrganizationFiles | { running: string[] }>
  /** Deletes the organization and all its rows. */
  finish(id: string): Awaitable<void>
}

const ofProjects = 'project_id IN (SELECT id FROM projects WHERE organization_id = @id)'
const ofPeople = 'person_id IN (SELECT id FROM people WHERE organization_id = @id)'
const isOpen = "organization_id = @id AND status IN ('queued', 'running')"

/** Tables and their rows of an organization; a table comes before the tables that it refers to. Its audit events stay. */
const ownRows: readonly (readonly [table: string, condition: string])[] = [
  ['idempotency_keys', 'organization_id = @id'],
  ['export_jobs', 'organization_id = @id'],
  ['rate_limits', 'organization_id = @id'],
  ['sessions', ofPeople],
  ['sign_in_links', ofPeople],
  ['people', 'organization_id = @id'],
  ['api_keys', 'organization_id = @id'],
  // With their deliveries.
  ['webhooks', 'organization_id = @id'],
  ['agent_jobs', ofProjects],
  ['sites', ofProjects],
  ['projects', 'organization_id = @id'],
  ['organizations', 'id = @id'],
]

/** What the deletion of an organization asks of SQLite and of PostgreSQL. The parameters are `id` and, where it occurs, `now`. */
const removalSql = {
  /** A row with the fields of `OrganizationSize`. */
  count: `SELECT (SELECT count(*) FROM projects WHERE organization_id = @id) AS projects,
     (SELECT count(*) FROM sites WHERE ${ofProjects}) AS sites,
     (SELECT count(*) FROM api_keys WHERE organization_id = @id AND revoked_at IS NULL) AS keys,
     (SELECT count(*) FROM people WHERE organization_id = @id) AS people,
     (SELECT count(*) FROM agent_jobs WHERE ${ofProjects}) AS "agentJobs",
     (SELECT count(*) FROM export_jobs WHERE organization_id = @id) AS exports`,
  // Each list has one column, `name`.
  projects: 'SELECT id AS name FROM projects WHERE organization_id = @id',
  bundles: 'SELECT bundle_file AS name FROM export_jobs WHERE organization_id = @id AND bundle_file IS NOT NULL',
  domains: `SELECT domain AS name FROM sites WHERE ${ofProjects}`,
  revokeKeys: 'UPDATE api_keys SET revoked_at = @now WHERE organization_id = @id AND revoked_at IS NULL',
  /** Ends what is open, so that nothing new begins. */
  close: [
    `DELETE FROM sessions WHERE ${ofPeople}`,
    `DELETE FROM sign_in_links WHERE ${ofPeople}`,
    `DELETE FROM idempotency_keys WHERE job_id IN (SELECT job_id FROM export_jobs WHERE ${isOpen})`,
    `DELETE FROM export_jobs WHERE ${isOpen}`,
  ],
  /** Deletes all of it. */
  finish: ownRows.map(([table, condition]) => `DELETE FROM ${table} WHERE ${condition}`),
} as const

type Id = { id: string }

const slow = { isSlow: true }
const count = sql<Id, OrganizationSize>(removalSql.count, slow)
// The jobs are locked before their organization, as a claim does it.
const lockJobs = onlyPostgres<Id, object>(
  `SELECT 1 FROM export_jobs WHERE organization_id = @id AND status IN ('queued', 'running') ORDER BY job_id FOR UPDATE`,
)
// So that nobody inserts a row that refers to it.
const lock = onlyPostgres<Id, object>('SELECT 1 FROM organizations WHERE id = @id FOR UPDATE')
const findRunning = sql<Id & { now: number }, { job_id: string }>(
  ({ now }) =>
    `SELECT job_id FROM export_jobs WHERE organization_id = @id AND status = 'running' AND lease_expires_at > ${now}`,
)
const list = (text: string) => sql<Id, { name: string }>(text, slow)
const listProjects = list(removalSql.projects)
const listBundles = list(removalSql.bundles)
const listDomains = list(removalSql.domains)
// A process that follows a log may count first visits of a project until then.
const lockProjects = onlyPostgres<Id, { name: string }>(
  'SELECT id AS name FROM projects WHERE organization_id = @id ORDER BY id FOR UPDATE',
)
// Every change of all servers may wait for this transaction, so it does not wait for a long import: the command is repeated.
const waitShortly = onlyPostgres<object>("SET LOCAL lock_timeout = '2s'")
// Before their visits are deleted, which may wait for a minute.
const lockVisits = onlyPostgres<Id, object>(
  `SELECT 1 FROM visited_projects WHERE project_id IN (SELECT id FROM projects WHERE organization_id = @id)
   ORDER BY project_id FOR UPDATE`,
)
const revokeKeys = sql<Id & { now: number }>(removalSql.revokeKeys)
const closing = removalSql.close.map(text => sql<Id>(text, slow))
const finishing = removalSql.finish.map(text => sql<Id>(text, slow))

/** Uses the clock of the database for leases, and that of the caller for keys. */
export const organizationRemoval: Works<OrganizationRemoval> = {
  *count(id) {
    return (yield* get(count, { id })) as OrganizationSize
  },
  begin: atomic(function* (id: string, now: number) {
    yield* all(lockJobs, { id })
    yield* all(lock, { id })
    const running = yield* all(findRunning, { id, now })
    if (running.length > 0) return { running: running.map(({ job_id }) => job_id) }
    yield* run(revokeKeys, { id, now })
    for (const closed of closing) yield* run(closed, { id })
    return {
      projects: (yield* all(listProjects, { id })).map(({ name }) => name),
      bundles: (yield* all(listBundles, { id })).map(({ name }) => name),
      domains: (yield* all(listDomains, { id })).map(({ name }) => name),
    }
  }),
  finish: atomic(function* (id: string) {
    yield* all(lock, { id })
    const projects = yield* all(lockProjects, { id })
    yield* run(waitShortly, {})
    yield* all(lockVisits, { id })
    // On SQLite, they are in files, which the caller has deleted.
    yield* inPostgres(async within => {
      const { deleteProjectVisits } = await import('./postgres/visits/prune-visits.ts')
      for (const { name } of projects) await deleteProjectVisits(within, name)
    })
    for (const deletion of finishing) yield* run(deletion, { id })
  }),
}
