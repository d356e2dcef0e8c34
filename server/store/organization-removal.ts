import type { Awaitable } from '../base/awaitable.ts'
import type { Database } from './database.ts'
import { removalSql } from './organization-rows.ts'

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

export function openOrganizationRemoval(database: Database): OrganizationRemoval {
  const count = database.prepare<{ id: string }, OrganizationSize>(removalSql.count)
  const findRunning = database
    .prepare<{ id: string; now: number }, string>(
      `SELECT job_id FROM export_jobs WHERE organization_id = @id AND status = 'running' AND lease_expires_at > @now`,
    )
    .pluck()
  const list = (sql: string) => database.prepare<{ id: string }, string>(sql).pluck()
  const listProjects = list(removalSql.projects)
  const listBundles = list(removalSql.bundles)
  const listDomains = list(removalSql.domains)
  const revokeKeys = database.prepare<{ id: string; now: number }>(removalSql.revokeKeys)
  const change = (sql: string) => database.prepare<{ id: string }>(sql)
  const closing = removalSql.close.map(change)
  const finishing = removalSql.finish.map(change)

  return {
    count: (id: string) => count.get({ id }) as OrganizationSize,
    begin: database.transaction((id: string, now: number): OrganizationFiles | { running: string[] } => {
      const running = findRunning.all({ id, now })
      if (running.length > 0) return { running }
      revokeKeys.run({ id, now })
      for (const closed of closing) closed.run({ id })
      return { projects: listProjects.all({ id }), bundles: listBundles.all({ id }), domains: listDomains.all({ id }) }
    }).immediate,
    finish: database.transaction((id: string): void => {
      for (const deletion of finishing) deletion.run({ id })
    }).immediate,
  }
}
