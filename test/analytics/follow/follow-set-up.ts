import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { type FollowOptions, type FollowStatus, followAccessLog } from '../../../server/analytics/follow/follow-log.ts'
import { openStore, type SqliteStore } from '../../../server/store/store.ts'
import { toLine } from './numbered-lines.ts'

export const pacing = { pollMs: 10, graceMs: 40, flushMs: 20 }
export const project = {
  id: 'prj_1',
  organizationId: 'org_1',
  name: 'Docs',
  visitorSaltRotation: 'never',
  visitorRules: 2,
  createdAt: 0,
} as const

export let folder: string
export let log: string
export let store: SqliteStore
export let warnings: string[]

/** Creates a folder with a store, one project, the path of a log, and an empty list of warnings before each test. */
export function setUpFollow(): void {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'quire-follow-log-'))
    log = join(folder, 'access.log')
    store = openStore(join(folder, 'data'))
    store.organizations.insert({ id: 'org_1', name: 'Acme', plan: 'standard', createdAt: 0 })
    store.projects.insert(project)
    warnings = []
  })
  afterEach(() => {
    store.close()
    rmSync(folder, { recursive: true, force: true })
  })
}

export function write(from: number, to: number): void {
  for (let i = from; i < to; i++) appendFileSync(log, toLine(i))
}

export function follow(options: Partial<FollowOptions> = {}): Promise<FollowStatus> {
  const signal = new AbortController().signal
  const warn = (message: string) => warnings.push(message)
  return followAccessLog({ file: log, projects: project, visits: store.visits, signal, warn, pacing, ...options })
}

/** Each line has a different visitor, so this is also the number of counted lines. */
export async function countVisitors(): Promise<number> {
  return (await store.visits.countUniqueVisitors('prj_1', {}, { limit: 1, offset: 0 })).totals.total
}
