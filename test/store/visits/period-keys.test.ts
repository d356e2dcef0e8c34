import { createHmac } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Day, dayMs, formatDay, parseDay } from '../../../server/analytics/day.ts'
import { importAccessLog } from '../../../server/analytics/import/import-log.ts'
import type { VisitorKeys } from '../../../server/analytics/visitor-keys.ts'
import { generateAccessLog } from '../../../server/demo/access-log.ts'
import { openStore, type Store } from '../../../server/store/store.ts'
import type { SaltRotation } from '../../../server/tenancy/project.ts'

const graceDays = 7
const dayOf = (date: string) => parseDay(date) as Day
const noonOf = (date: string) => dayOf(date) * dayMs + dayMs / 2
const never = { id: 'prj_never', visitorSaltRotation: 'never' } as const
const monthly = { id: 'prj_month', visitorSaltRotation: 'month' } as const
const daily = { id: 'prj_day', visitorSaltRotation: 'day' } as const

let folder: string
let data: string
let store: Store

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

const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'

/** Writes a line per date and address, and imports it at noon of the last date. */
async function importLines(
  project: typeof never | typeof monthly | typeof daily,
  lines: [string, string][],
  at?: string,
) {
  const file = join(folder, 'access.log')
  const text = lines.map(([date, address]) => {
    const [year, month, day] = date.split('-')
    const name = new Date(`${date}T00:00:00Z`).toLocaleString('en', { month: 'short', timeZone: 'UTC' })
    expect(month).toBeDefined()
    return `${address} - - [${day}/${name}/${year}:10:11:12 +0000] "GET /guide HTTP/1.1" 200 12 "-" "${browser}"\n`
  })
  writeFileSync(file, text.join(''))
  const now = noonOf(at ?? lines.at(-1)?.[0] ?? '')
  const { newVisitorDays, tooOldViews } = await importAccessLog({ file, project, visits: store.visits, now: () => now })
  return { newVisitorDays, tooOldViews }
}

async function keysAt(date: string, visits = store.visits): Promise<VisitorKeys> {
  return visits.openVisitorKeys(() => noonOf(date))
}

const keyOf = async (project: { id: string; visitorSaltRotation: SaltRotation }, date: string, at = date) =>
  (await keysAt(at)).find(project, dayOf(date))

async function count({ id }: { id: string }, dateFrom?: string, dateTo?: string): Promise<number> {
  const range = { ...(dateFrom && { dateFrom: dayOf(dateFrom) }), ...(dateTo && { dateTo: dayOf(dateTo) }) }
  return (await store.visits.countUniqueVisitors(id, range, { limit: 1, offset: 0 })).totals.total
}

const destroyAt = (project: typeof monthly | typeof daily, date: string) =>
  store.visits.destroyKeys(project, { now: noonOf(date), graceDays })

function listVisitors({ id }: { id: string }): string[] {
  const database = new Database(join(data, 'visits', `${id}.db`), { readonly: true })
  try {
    const old = database.prepare("SELECT name FROM sqlite_schema WHERE name = 'seen'").get()
    const table = old ? 'seen' : 'seen_rows'
    return database.prepare<[], string>(`SELECT DISTINCT lower(hex(visitor)) FROM ${table}`).pluck().all()
  } finally {
    database.close()
  }
}

/** The bytes of all files in the data folder. */
function readAll(): Buffer {
  const paths = readdirSync(data, { recursive: true, encoding: 'utf8' }).map(path => join(data, path))
  return Buffer.concat(paths.filter(path => statSync(path).isFile()).map(path => readFileSync(path)))
}

const hashUnder = (key: Uint8Array, address: string) =>
  createHmac('sha256', key).update(`${address}\0${browser}`).digest('hex').slice(0, 32)

describe('without a rotation', () => {
  test('two projects have different keys, which are neither the secret nor in the files', async () => {
    const other = { ...never, id: 'prj_other' }
    const [key, otherKey, again] = [
      await keyOf(never, '2026-10-01'),
      await keyOf(other, '2026-10-01'),
      await keyOf(never, '2026-11-20'),
    ]
    expect(key).toEqual(again)
    expect(key).not.toEqual(otherKey)
    expect(key).not.toEqual(await store.visits.openVisitorKey())
    await importLines(never, [['2026-10-01', '10.0.0.1']])
    expect(listVisitors(never)).toEqual([hashUnder(key as Uint8Array, '10.0.0.1')])
    expect(readAll().includes(key as Uint8Array)).toBe(false)
  })

  test('nothing is destroyed', async () => {
    await importLines(never, [['2020-10-01', '10.0.0.1']])
    expect(store.visits.destroyKeys(never, { now: noonOf('2026-11-20'), graceDays })).toEqual({
      keys: 0,
      visitorDays: 0,
    })
    expect(listVisitors(never).length).toBe(1)
  })
})

describe('after a period and its grace', () => {
  test('its visitors cannot be linked to another period with all files, and its counts stay', async () => {
    await importLines(monthly, [
      ['2026-10-01', '10.0.0.1'],
      ['2026-10-30', '10.0.0.2'],
      ['2026-10-31', '10.0.0.1'],
    ])
    await importLines(monthly, [['2026-11-02', '10.0.0.1']])
    const [october, november] = [await keyOf(monthly, '2026-10-31'), await keyOf(monthly, '2026-11-01')]
    const [inOctober, inNovember] = [october, november].map(key => hashUnder(key as Uint8Array, '10.0.0.1'))
    expect(listVisitors(monthly)).toEqual(expect.arrayContaining([inOctober, inNovember]))
    expect(readAll().includes(october as Uint8Array)).toBe(true)
    const ranges = [[], ['2026-10-01', '2026-11-01'], ['2026-10-30'], ['2026-11-01']] as const
    const countAll = () => Promise.all(ranges.map(([from, to]) => count(monthly, from, to)))
    const before = await countAll()
    expect(before).toEqual([3, 2, 3, 1])

    expect(destroyAt(monthly, '2026-11-07')).toEqual({ keys: 0, visitorDays: 0 })
    expect(destroyAt(monthly, '2026-11-08')).toEqual({ keys: 1, visitorDays: 3 })
    store.close()
    const bytes = readAll()
    expect(bytes.includes(october as Uint8Array)).toBe(false)
    expect(bytes.includes(Buffer.from(inOctober as string, 'hex'))).toBe(false)
    expect(bytes.includes(november as Uint8Array)).toBe(true)
    store = openStore(data)
    const secret = await store.visits.openVisitorKey()
    const derived = ['2026-10', 'project prj_month'].map(name => createHmac('sha256', secret).update(name).digest())
    for (const key of [secret, ...derived, november as Uint8Array]) {
      expect(hashUnder(key, '10.0.0.1')).not.toBe(inOctober)
    }
    expect(await countAll()).toEqual(before)
  })

  test('each key of many days is gone from the files, also from unused parts of pages', async () => {
    const dates = Array.from({ length: 150 }, (_, i) => formatDay(dayOf('2026-11-20') - i))
    const keys = await keysAt('2026-11-20')
    const made = dates.map(date => keys.find(daily, dayOf(date)) as Uint8Array)
    expect(new Set(made.map(key => Buffer.from(key).toString('hex'))).size).toBe(dates.length)
    // All were created on the 20th, so they live until the 27th, and the 20th until the 28th.
    expect(destroyAt(daily, '2026-11-26').keys).toBe(0)
    expect(destroyAt(daily, '2026-11-27').keys).toBe(149)
    const bytes = readAll()
    expect(made.map(key => bytes.includes(key)).filter(Boolean).length).toBe(1)
    expect(bytes.includes(made[0] as Uint8Array)).toBe(true)
  })

  test('late lines are counted within the grace, and refused after it', async () => {
    await importLines(monthly, [
      ['2026-10-31', '10.0.0.1'],
      ['2026-11-01', '10.0.0.1'],
    ])
    destroyAt(monthly, '2026-11-06')
    const late: [string, string][] = [
      ['2026-10-31', '10.0.0.1'],
      ['2026-10-31', '10.0.0.2'],
    ]
    expect(await importLines(monthly, late, '2026-11-06')).toEqual({ newVisitorDays: 1, tooOldViews: 0 })
    destroyAt(monthly, '2026-11-10')
    expect(await importLines(monthly, [...late, ['2026-11-09', '10.0.0.2']], '2026-11-10')).toEqual({
      newVisitorDays: 1,
      tooOldViews: 2,
    })
    expect([await count(monthly, undefined, '2026-11-01'), await count(monthly, '2026-11-01')]).toEqual([2, 2])
  })

  test('an archive of ended periods can be imported, again within the grace, and not after it', async () => {
    const archive: [string, string][] = [
      ['2026-03-01', '10.0.0.1'],
      ['2026-04-01', '10.0.0.1'],
      ['2026-04-02', '10.0.0.1'],
    ]
    await importLines(monthly, [['2026-11-10', '10.0.0.1']])
    expect(await importLines(monthly, archive, '2026-11-10')).toEqual({ newVisitorDays: 3, tooOldViews: 0 })
    destroyAt(monthly, '2026-11-16')
    expect(await importLines(monthly, archive, '2026-11-16')).toEqual({ newVisitorDays: 0, tooOldViews: 0 })
    expect(destroyAt(monthly, '2026-11-18').keys).toBe(2)
    expect(await importLines(monthly, archive, '2026-11-18')).toEqual({ newVisitorDays: 0, tooOldViews: 3 })
    expect(await count(monthly)).toBe(3)
    await store.visits.deleteVisits(monthly.id)
    expect(await importLines(monthly, archive, '2026-11-18')).toEqual({ newVisitorDays: 3, tooOldViews: 0 })
  })

  test('a batch that was hashed before is refused', async () => {
    await importLines(monthly, [['2026-10-30', '10.0.0.1']])
    const file = join(folder, 'access.log')
    const now = () => noonOf('2026-10-31')
    const visits = {
      ...store.visits,
      recordBatch(...given: Parameters<Store['visits']['recordBatch']>) {
        destroyAt(monthly, '2026-11-20')
        return store.visits.recordBatch(...given)
      },
    }
    const tally = await importAccessLog({ file, project: monthly, visits, now })
    expect(tally).toMatchObject({ newVisitorDays: 0, tooOldViews: 1 })
    expect(await count(monthly)).toBe(1)
  })
})

test('a key that was created while the clock was ahead does not live until that time', async () => {
  await importLines(monthly, [['2026-10-30', '10.0.0.1']], '2031-01-01')
  expect(destroyAt(monthly, '2026-11-10').keys).toBe(0)
  expect(destroyAt(monthly, '2026-11-16').keys).toBe(0)
  expect(destroyAt(monthly, '2026-11-18').keys).toBe(1)
})

test('after the clock was set back, views are still counted with the key of their own date', async () => {
  await importLines(monthly, [['2026-11-10', '10.0.0.1']])
  expect(await importLines(monthly, [['2026-11-10', '10.0.0.1']], '2026-10-01')).toEqual({
    newVisitorDays: 0,
    tooOldViews: 0,
  })
  expect(destroyAt(monthly, '2026-10-01').keys).toBe(0)
})

test('two connections get the same key of a new period', async () => {
  const other = openStore(data)
  try {
    const [first, second] = [await keysAt('2026-11-20'), await keysAt('2026-11-20', other.visits)]
    for (const date of ['2026-11-20', '2026-11-19', '2026-11-18']) {
      const made = [first, second].sort(() => (date.endsWith('9') ? -1 : 1)).map(keys => keys.find(daily, dayOf(date)))
      expect(made[0]).toEqual(made[1])
    }
  } finally {
    other.close()
  }
})

describe.each(['never', 'month', 'day'] as const)('a project of an older version with rotation %s', rotation => {
  const project = { id: `prj_${rotation}`, visitorSaltRotation: rotation }
  const all = [...generateAccessLog({ seed: 5, lines: 260, from: 20_730, to: 20_770, paths: ['/', '/a', '/b'] })]
  // The log has IPv6 addresses like 2001:db8::0:1a, which that version took as they were written. Now they are canonical.
  const log = () => all.filter(line => !line.startsWith('2001:'))
  const importLog = async (lines: string[], at = '2026-11-20') => {
    const file = join(folder, 'access.log')
    writeFileSync(file, `${lines.join('\n')}\n`)
    return importAccessLog({ file, project, visits: store.visits, now: () => noonOf(at) })
  }
  const want = { never: 54, month: 61, day: 88 }[rotation]

  beforeEach(async () => {
    store.close()
    writeOldDatabase(rotation)
    store = openStore(data)
  })

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
