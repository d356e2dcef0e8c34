import type { Awaitable } from '../base/awaitable.ts'
import type { Database } from './database.ts'

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
export interface OrganizationFiles {
  /** Project ids; each may have visits. */
  projects: string[]
  /** The names of bundles. */
  bundles: string[]
  /** The domains of sites; each may have an export cache. */
  domains: string[]
}

const ofProjects = 'project_id IN (SELECT id FROM projects WHERE organization_id = @id)'
const ofPeople = 'person_id IN (SELECT id FROM people WHERE organization_id = @id)'

/** Tables and their rows of an organization; a table comes before the tables that it refers to. Its audit events stay. */
const rows: readonly (readonly [table: string, condition: string])[] = [
  ['idempotency_keys', 'organization_id = @id'],
  ['export_jobs', 'organization_id = @id'],
  ['rate_limits', 'organization_id = @id'],
  ['sessions', ofPeople],
  ['sign_in_links', ofPeople],
  ['people', 'organization_id = @id'],
  ['api_keys', 'organization_id = @id'],
  ['agent_jobs', ofProjects],
  ['sites', ofProjects],
  ['projects', 'organization_id = @id'],
  ['organizations', 'id = @id'],
]

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

export function openOrganizationRemoval(database: Database) {
  const count = database.prepare<{ id: string }, OrganizationSize>(
    `SELECT (SELECT count(*) FROM projects WHERE organization_id = @id) AS projects,
       (SELECT count(*) FROM sites WHERE ${ofProjects}) AS sites,
       (SELECT count(*) FROM api_keys WHERE organization_id = @id AND revoked_at IS NULL) AS keys,
       (SELECT count(*) FROM people WHERE organization_id = @id) AS people,
       (SELECT count(*) FROM agent_jobs WHERE ${ofProjects}) AS agentJobs,
       (SELECT count(*) FROM export_jobs WHERE organization_id = @id) AS exports`,
  )
  const findRunning = database
    .prepare<{ id: string; now: number }, string>(
      `SELECT job_id FROM export_jobs WHERE organization_id = @id AND status = 'running' AND lease_expires_at > @now`,
    )
    .pluck()
  const list = (sql: string) => database.prepare<{ id: string }, string>(sql).pluck()
  const listProjects = list('SELECT id FROM projects WHERE organization_id = @id')
  const listBundles = list(
    'SELECT bundle_file FROM export_jobs WHERE organization_id = @id AND bundle_file IS NOT NULL',
  )
  const listDomains = list(`SELECT domain FROM sites WHERE ${ofProjects}`)
  const revokeKeys = database.prepare<{ id: string; now: number }>(
    'UPDATE api_keys SET revoked_at = @now WHERE organization_id = @id AND revoked_at IS NULL',
  )
  const endSessions = database.prepare<{ id: string }>(`DELETE FROM sessions WHERE ${ofPeople}`)
  const deleteSignInLinks = database.prepare<{ id: string }>(`DELETE FROM sign_in_links WHERE ${ofPeople}`)
  const deleteOpenKeys = database.prepare<{ id: string }>(
    `DELETE FROM idempotency_keys WHERE job_id IN
       (SELECT job_id FROM export_jobs WHERE organization_id = @id AND status IN ('queued', 'running'))`,
  )
  const deleteOpenJobs = database.prepare<{ id: string }>(
    `DELETE FROM export_jobs WHERE organization_id = @id AND status IN ('queued', 'running')`,
  )
  const deletions = rows.map(([table, condition]) => database.prepare(`DELETE FROM ${table} WHERE ${condition}`))

  return {
    count: (id: string) => count.get({ id }) as OrganizationSize,
    begin: database.transaction((id: string, now: number): OrganizationFiles | { running: string[] } => {
      const running = findRunning.all({ id, now })
      if (running.length > 0) return { running }
      revokeKeys.run({ id, now })
      endSessions.run({ id })
      deleteSignInLinks.run({ id })
      deleteOpenKeys.run({ id })
      deleteOpenJobs.run({ id })
      return { projects: listProjects.all({ id }), bundles: listBundles.all({ id }), domains: listDomains.all({ id }) }
    }).immediate,
    finish: database.transaction((id: string): void => {
      for (const deletion of deletions) deletion.run({ id })
    }).immediate,
  }
}
