import type { OrganizationRemoval, OrganizationSize } from '../organization-removal.ts'
import { removalSql } from '../organization-rows.ts'
import type { Database } from './database.ts'
import { statement } from './statement.ts'
import { deleteProjectVisits } from './visits/prune-visits.ts'

type Id = { id: string }

const slow = { isSlow: true }
const count = statement<Id, OrganizationSize>(removalSql.count, slow)
// The jobs are locked before their organization, as a claim does it.
const lockJobs = statement<Id, object>(
  `SELECT 1 FROM export_jobs WHERE organization_id = @id AND status IN ('queued', 'running') ORDER BY job_id FOR UPDATE`,
)
// So that nobody inserts a row that refers to it.
const lock = statement<Id, object>('SELECT 1 FROM organizations WHERE id = @id FOR UPDATE')
const findRunning = statement<Id, { job_id: string }>(
  `SELECT job_id FROM export_jobs WHERE organization_id = @id AND status = 'running' AND lease_expires_at > now_ms()`,
)
const list = (sql: string) => statement<Id, { name: string }>(sql, slow)
const listProjects = list(removalSql.projects)
const listBundles = list(removalSql.bundles)
const listDomains = list(removalSql.domains)
// A process that follows a log may count first visits of a project until then.
const lockProjects = statement<Id, { name: string }>(
  'SELECT id AS name FROM projects WHERE organization_id = @id ORDER BY id FOR UPDATE',
)
// Before their visits are deleted, which may wait for a minute.
const lockVisits = statement<Id, object>(
  `SELECT 1 FROM visited_projects WHERE project_id IN (SELECT id FROM projects WHERE organization_id = @id)
   ORDER BY project_id FOR UPDATE`,
)
const revokeKeys = statement<Id & { now: number }>(removalSql.revokeKeys)
const closing = removalSql.close.map(sql => statement<Id>(sql, slow))
const finishing = removalSql.finish.map(sql => statement<Id>(sql, slow))

/** Uses the clock of the database for leases, and that of the caller for keys. */
export function openOrganizationRemoval(database: Database): OrganizationRemoval {
  return {
    count: async id => (await database.get(count, { id })) as OrganizationSize,
    begin: (id, now) =>
      database.atomically(async within => {
        await within.all(lockJobs, { id })
        await within.all(lock, { id })
        const running = await within.all(findRunning, { id })
        if (running.length > 0) return { running: running.map(({ job_id }) => job_id) }
        await within.run(revokeKeys, { id, now })
        for (const closed of closing) await within.run(closed, { id })
        const names = async (listed: typeof listProjects) => (await within.all(listed, { id })).map(({ name }) => name)
        return {
          projects: await names(listProjects),
          bundles: await names(listBundles),
          domains: await names(listDomains),
        }
      }),
    finish: id =>
      database.atomically(async within => {
        await within.all(lock, { id })
        const projects = await within.all(lockProjects, { id })
        // Every change of all servers may wait for this transaction, so it does not wait for a long import: the command is repeated.
        await within.exec("SET LOCAL lock_timeout = '2s'")
        await within.all(lockVisits, { id })
        for (const { name } of projects) await deleteProjectVisits(within, name)
        for (const deletion of finishing) await within.run(deletion, { id })
      }),
  }
}
