import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach } from 'vitest'
import { type Day, parseDay } from '../../../server/analytics/day.ts'
import type { VisitorKeys } from '../../../server/analytics/visitor-keys.ts'
import { dayMs } from '../../../server/base/day-ms.ts'
import { openStore, type SqliteStore } from '../../../server/store/store.ts'
import type { SaltRotation } from '../../../server/tenancy/project.ts'

export const graceDays = 7
export const dayOf = (date: string) => parseDay(date) as Day
export const noonOf = (date: string) => dayOf(date) * dayMs + dayMs / 2
export const never = { id: 'prj_never', visitorSaltRotation: 'never', visitorRules: 2 } as const
export const monthly = { id: 'prj_month', visitorSaltRotation: 'month', visitorRules: 2 } as const
export const daily = { id: 'prj_day', visitorSaltRotation: 'day', visitorRules: 2 } as const

export let folder: string
export let data: string
export let store: SqliteStore

/** Opens a new data folder with a project for each rotation before each test. */
export function useKeyProjects(): void {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'quire-period-keys-'))
    data = join(folder, 'data')
    store = openStore(data)
    store.organizations.insert({ id: 'org_1', name: 'Acme', plan: 'standard', createdAt: 0 })
    for (const project of [never, monthly, daily]) {
      store.projects.insert({ ...project, organizationId: 'org_1', name: project.id, createdAt: 0 })
    }
  })
  afterEach(() => {
    store.close()
    rmSync(folder, { recursive: true, force: true })
  })
}

/** Opens the store of the data folder again, after `change` changed its files. */
export function reopen(change: () => void): void {
  store.close()
  change()
  store = openStore(data)
}

export async function keysAt(date: string, visits = store.visits): Promise<VisitorKeys> {
  return visits.openVisitorKeys(() => noonOf(date))
}

export const keyOf = async (project: { id: string; visitorSaltRotation: SaltRotation }, date: string, at = date) =>
  (await keysAt(at)).find(project, dayOf(date))

export async function count({ id }: { id: string }, dateFrom?: string, dateTo?: string): Promise<number> {
  const range = { ...(dateFrom && { dateFrom: dayOf(dateFrom) }), ...(dateTo && { dateTo: dayOf(dateTo) }) }
  return (await store.visits.countUniqueVisitors(id, range, { limit: 1, offset: 0 })).totals.total
}

export const destroyAt = (project: typeof monthly | typeof daily, date: string) =>
  store.visits.destroyKeys(project, { now: noonOf(date), graceDays })

export function listVisitors({ id }: { id: string }): string[] {
  const database = new Database(join(data, 'visits', `${id}.db`), { readonly: true })
  try {
    const old = database.prepare("SELECT name FROM sqlite_schema WHERE name = 'seen'").get()
    const table = old ? 'seen' : 'seen_rows'
    return database.prepare<[], string>(`SELECT DISTINCT lower(hex(visitor)) FROM ${table}`).pluck().all()
  } finally {
    database.close()
  }
}
