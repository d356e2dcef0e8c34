import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readSeenRow, type SeenDay, type SeenRow } from '../../../server/analytics/counters/seen-rows.ts'
import { toViewBatch } from '../../../server/analytics/view-batch.ts'
import { openStore, type SqliteStore } from '../../../server/store/store.ts'

let folder: string
let file: string
let store: SqliteStore

/** Opens a data folder with visits that were recorded when each day of a visitor was a row. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-seen-days-'))
  file = join(folder, 'visits', 'prj_1.db')
  store = openStore(folder)
  store.organizations.insert({ id: 'org_1', name: 'Acme', plan: 'standard', createdAt: 0 })
  store.projects.insert({
    id: 'prj_1',
    organizationId: 'org_1',
    name: '',
    visitorSaltRotation: 'never',
    visitorRules: 2,
    createdAt: 0,
  })
  mkdirSync(join(folder, 'visits'), { recursive: true })
  writeFileSync(join(folder, 'visitor.key'), Buffer.alloc(32, 7), { mode: 0o600 })
  const database = new Database(file)
  database.exec(readFileSync(join(migrations, '001-counters.sql'), 'utf8'))
  database.exec(readFileSync(join(import.meta.dirname, 'old-databases/never.sql'), 'utf8'))
  database.pragma('user_version = 1')
  database.close()
})
afterEach(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

const migrations = join(import.meta.dirname, '../../../server/store/visits/migrations')
const countAll = async (dateFrom?: number) => {
  const range = dateFrom === undefined ? {} : { dateFrom }
  return (await store.visits.countUniqueVisitors('prj_1', range, { limit: 1, offset: 0 })).totals.total
}

function read<T>(work: (database: Database.Database) => T): T {
  const database = new Database(file, { readonly: true })
  try {
    return work(database)
  } finally {
    database.close()
  }
}

const isMoved = () => read(database => !database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'seen'").get())

/** Visitor, day and pages of each day, in the table of the old version or of this one. */
function listDays(): string[] {
  return read(database => {
    if (!isMoved()) {
      const text = "lower(hex(visitor)) || ' ' || day || ' ' || lower(hex(pages))"
      return database.prepare<[], string>(`SELECT ${text} FROM seen ORDER BY visitor, day`).pluck().all()
    }
    const rows = database.prepare<[], SeenRow & { visitor: Buffer }>(
      'SELECT visitor, from_day AS fromDay, days FROM seen_rows ORDER BY visitor, from_day',
    )
    return rows.all().flatMap(({ visitor, ...row }) => {
      const days: SeenDay[] = []
      readSeenRow(row, days)
      const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
      return days.map(({ day, bytes, start, end }) => `${hex(visitor)} ${day} ${hex(bytes.subarray(start, end))}`)
    })
  })
}

const record = (day: number) =>
  store.visits.recordBatch('prj_1', toViewBatch([{ visitor: Buffer.alloc(16, 1), path: '/a', day, kind: 'human' }]))

test('a query leaves the days of an older version where they are, and the first write moves all of them', async () => {
  const before = listDays()
  expect(before.length).toBe(88)
  expect([await countAll(), isMoved()]).toEqual([54, false])
  await store.visits.recordBatch('prj_1', toViewBatch([]))
  expect(isMoved()).toBe(true)
  expect(listDays()).toEqual(before)
  expect(await countAll()).toBe(54)
})

test('a write that fails rolls the move back, and the next write moves again', async () => {
  const before = listDays()
  const batch = toViewBatch([{ visitor: Buffer.alloc(16, 1), path: '/a', day: 20_740, kind: 'human' }])
  expect(() => store.visits.recordBatch('prj_1', { ...batch, masks: Uint8Array.of(99) })).toThrow(RangeError)
  expect([isMoved(), listDays()]).toEqual([false, before])
  expect(await record(20_740)).toMatchObject({ newVisitorDays: 1 })
  expect(listDays().length).toBe(89)
})

test('pruning the days of an older version deletes them', async () => {
  const kept = listDays().filter(line => Number(line.split(' ')[1]) >= 20_750)
  const before = await countAll(20_750)
  expect(await store.visits.pruneSeen('prj_1', 20_750)).toBe(88 - kept.length)
  expect([isMoved(), listDays()]).toEqual([true, kept])
  expect(await countAll(20_750)).toBe(before)
})

test('a reset deletes the days of an older version', async () => {
  await store.visits.deleteVisits('prj_1')
  expect(await countAll()).toBe(0)
  expect(await record(20_740)).toMatchObject({ newVisitorDays: 1 })
  expect(listDays().length).toBe(1)
})
