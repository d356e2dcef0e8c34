import { createHmac } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeEach, describe, expect, test } from 'vitest'
import { importAccessLog } from '../../../server/analytics/import/import-log.ts'
import { generateAccessLog } from '../../../server/commands/demo/access-log.ts'
import type { SaltRotation } from '../../../server/tenancy/project.ts'
import {
  count,
  data,
  folder,
  graceDays,
  keyOf,
  listVisitors,
  noonOf,
  reopen,
  store,
  useKeyProjects,
} from './key-projects.ts'

useKeyProjects()

describe.each(['never', 'month', 'day'] as const)('a project of an older version with rotation %s', rotation => {
  const project = { id: `prj_${rotation}`, visitorSaltRotation: rotation, visitorRules: 2 as const }
  const all = [...generateAccessLog({ seed: 5, lines: 260, from: 20_730, to: 20_770, paths: ['/', '/a', '/b'] })]
  // The log has IPv6 addresses like 2001:db8::0:1a, which that version took as they were written. Now they are canonical.
  const log = () => all.filter(line => !line.startsWith('2001:'))
  const importLog = async (lines: string[], at = '2026-11-20') => {
    const file = join(folder, 'access.log')
    writeFileSync(file, `${lines.join('\n')}\n`)
    return importAccessLog({ file, project, visits: store.visits, now: () => noonOf(at) })
  }
  const want = { never: 54, month: 61, day: 88 }[rotation]

  beforeEach(() => reopen(() => writeOldDatabase(rotation)))

  test('counts the same lines once, before and after new periods got random keys', async () => {
    expect(await count(project)).toBe(want)
    const views = await importLog(log())
    expect(views).toMatchObject({ newVisitorDays: 0, tooOldViews: 0 })
    expect(await count(project)).toBe(want)
    const [line = ''] = log().filter(line => line.includes('" 200 ') && line.includes('"GET /a '))
    const later = line.replace(/\[\d\d\/\w+/, '[05/Dec')
    await importLog([later], '2026-12-06')
    expect(await importLog([...log(), later], '2026-12-06')).toMatchObject({ newVisitorDays: 0, tooOldViews: 0 })
  })

  test('has a derived key for the periods with visits, and another for the others', async () => {
    const secret = Buffer.alloc(32, 7)
    const under = (name: string) => createHmac('sha256', secret).update(name).digest()
    const old = { never: secret, month: under('2026-11'), day: under('2026-11-10') }[rotation]
    expect(Buffer.from((await keyOf(project, '2026-11-10')) as Uint8Array)).toEqual(old)
    const later = Buffer.from((await keyOf(project, '2026-12-05')) as Uint8Array)
    if (rotation === 'never') expect(later).toEqual(secret)
    else expect([under('2026-12'), under('2026-12-05'), secret].some(key => key.equals(later))).toBe(false)
  })

  if (rotation === 'never') return
  test('loses its old hashes after the grace, and no count', async () => {
    const destroy = (date: string) => store.visits.destroyKeys(project, { now: noonOf(date), graceDays })
    const hashes = listVisitors(project)
    expect(destroy('2026-12-20').keys).toBe(0)
    const days = readOld(rotation).match(/INTO day_counters/g)?.length
    expect(destroy('2026-12-28')).toEqual({ keys: rotation === 'month' ? 2 : days, visitorDays: 88 })
    expect(listVisitors(project)).toEqual([])
    expect(hashes.length).toBeGreaterThan(50)
    expect(await count(project)).toBe(want)
    expect(await importLog(log(), '2026-12-28')).toMatchObject({ newVisitorDays: 0 })
    expect(await count(project)).toBe(want)
  })
})

function readOld(rotation: SaltRotation): string {
  return readFileSync(join(import.meta.dirname, `old-databases/${rotation}.sql`), 'utf8')
}

/** Writes the visits as the version before migration 002 did. Its `visitor.key` was 32 bytes of 7. */
function writeOldDatabase(rotation: SaltRotation): void {
  const migrations = join(import.meta.dirname, '../../../server/store/visits/migrations')
  const names = readdirSync(migrations).sort()
  const applied = names.slice(0, names.indexOf('002-period-keys.sql'))
  mkdirSync(join(data, 'visits'), { recursive: true })
  writeFileSync(join(data, 'visitor.key'), Buffer.alloc(32, 7), { mode: 0o600 })
  const database = new Database(join(data, 'visits', `prj_${rotation}.db`))
  for (const name of applied) database.exec(readFileSync(join(migrations, name), 'utf8'))
  database.exec(readOld(rotation))
  database.pragma(`user_version = ${applied.length}`)
  database.close()
}
