import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { VisitorKeys } from '../../../server/analytics/visitor-keys.ts'
import type { SaltRotation } from '../../../server/tenancy/project.ts'
import { shareTests } from '../stores.ts'
import { daily, dayOf, graceDays, monthly, never, noonOf } from './key-projects.ts'

/** Has a project for each rotation. */
export const shared = shareTests(async ({ store }) => {
  await store.organizations.insert({ id: 'org_1', name: 'Acme', plan: 'standard', createdAt: 0 })
  for (const project of [never, monthly, daily]) {
    await store.projects.insert({ ...project, organizationId: 'org_1', name: project.id, createdAt: 0 })
  }
})

export async function keysAt(date: string, { visits } = shared.store): Promise<VisitorKeys> {
  return visits.openVisitorKeys(() => noonOf(date))
}

export const keyOf = async (project: { id: string; visitorSaltRotation: SaltRotation }, date: string, at = date) =>
  (await keysAt(at)).find(project, dayOf(date))

export async function count({ id }: { id: string }, dateFrom?: string, dateTo?: string): Promise<number> {
  const range = { ...(dateFrom && { dateFrom: dayOf(dateFrom) }), ...(dateTo && { dateTo: dayOf(dateTo) }) }
  return (await shared.store.visits.countUniqueVisitors(id, range, { limit: 1, offset: 0 })).totals.total
}

export const destroyAt = async (project: typeof monthly | typeof daily, date: string) =>
  shared.store.visits.destroyKeys(project, { now: noonOf(date), graceDays })

/** Lists the hashes of visitors in hexadecimal digits. */
export async function listVisitors({ id }: { id: string }): Promise<string[]> {
  if (shared.url !== undefined) {
    const rows = await shared.run(
      `SELECT DISTINCT replace(visitor::text, '-', '') AS visitor FROM seen_rows
       JOIN visited_projects ON key = project_key WHERE project_id = '${id}'`,
    )
    return rows.map(({ visitor }) => String(visitor))
  }
  const database = new Database(join(shared.folder, 'visits', `${id}.db`), { readonly: true })
  try {
    return database.prepare<[], string>('SELECT DISTINCT lower(hex(visitor)) FROM seen_rows').pluck().all()
  } finally {
    database.close()
  }
}

/** Everything that is stored: the bytes of all files on SQLite, and the rows of all tables on PostgreSQL. */
export async function readAll(): Promise<{ includes(bytes: Uint8Array): boolean }> {
  if (shared.url !== undefined) {
    const tables = await shared.run("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    const rows = await Promise.all(
      tables.map(({ tablename }) => shared.run(`SELECT ${tablename}::text AS row FROM ${tablename}`)),
    )
    const text = JSON.stringify(rows).replaceAll('-', '')
    return { includes: bytes => text.includes(Buffer.from(bytes).toString('hex')) }
  }
  const { folder } = shared
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(path => join(folder, path))
  return Buffer.concat(paths.filter(path => statSync(path).isFile()).map(path => readFileSync(path)))
}
