import { createHmac } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { formatDay } from '../../../server/analytics/day.ts'
import { importAccessLog } from '../../../server/analytics/import/import-log.ts'
import type { TestStore } from '../stores.ts'
import { daily, dayOf, graceDays, monthly, never, noonOf } from './key-projects.ts'
import { count, destroyAt, keyOf, keysAt, listVisitors, readAll, shared } from './shared-key-projects.ts'

const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'

/** Writes a line per date and address, and imports it at noon of the last date. */
async function importLines(
  project: typeof never | typeof monthly | typeof daily,
  lines: [string, string][],
  at?: string,
) {
  const file = join(shared.folder, 'access.log')
  const text = lines.map(([date, address]) => {
    const [year, month, day] = date.split('-')
    const name = new Date(`${date}T00:00:00Z`).toLocaleString('en', { month: 'short', timeZone: 'UTC' })
    expect(month).toBeDefined()
    return `${address} - - [${day}/${name}/${year}:10:11:12 +0000] "GET /guide HTTP/1.1" 200 12 "-" "${browser}"\n`
  })
  writeFileSync(file, text.join(''))
  const now = noonOf(at ?? lines.at(-1)?.[0] ?? '')
  const { newVisitorDays, tooOldViews } = await importAccessLog({
    file,
    project,
    visits: shared.store.visits,
    now: () => now,
  })
  return { newVisitorDays, tooOldViews }
}

const hashUnder = (key: Uint8Array, address: string) =>
  createHmac('sha256', key).update(`${address}\0${browser}`).digest('hex').slice(0, 32)

shared.describe('without a rotation', () => {
  test('two projects have different keys, which are neither the secret nor in the files', async () => {
    const other = { ...never, id: 'prj_other' }
    const [key, otherKey, again] = [
      await keyOf(never, '2026-10-01'),
      await keyOf(other, '2026-10-01'),
      await keyOf(never, '2026-11-20'),
    ]
    expect(key).toEqual(again)
    expect(key).not.toEqual(otherKey)
    expect(key).not.toEqual(await shared.store.visits.openVisitorKey())
    await importLines(never, [['2026-10-01', '10.0.0.1']])
    expect(await listVisitors(never)).toEqual([hashUnder(key as Uint8Array, '10.0.0.1')])
    expect((await readAll()).includes(key as Uint8Array)).toBe(false)
  })

  test('nothing is destroyed', async () => {
    await importLines(never, [['2020-10-01', '10.0.0.1']])
    expect(await shared.store.visits.destroyKeys(never, { now: noonOf('2026-11-20'), graceDays })).toEqual({
      keys: 0,
      visitorDays: 0,
    })
    expect((await listVisitors(never)).length).toBe(1)
  })
})

shared.describe('after a period and its grace', () => {
  test('its visitors cannot be linked to another period with all files, and its counts stay', async () => {
    await importLines(monthly, [
      ['2026-10-01', '10.0.0.1'],
      ['2026-10-30', '10.0.0.2'],
      ['2026-10-31', '10.0.0.1'],
    ])
    await importLines(monthly, [['2026-11-02', '10.0.0.1']])
    const [october, november] = [await keyOf(monthly, '2026-10-31'), await keyOf(monthly, '2026-11-01')]
    const [inOctober, inNovember] = [october, november].map(key => hashUnder(key as Uint8Array, '10.0.0.1'))
    expect(await listVisitors(monthly)).toEqual(expect.arrayContaining([inOctober, inNovember]))
    expect((await readAll()).includes(october as Uint8Array)).toBe(true)
    const ranges = [[], ['2026-10-01', '2026-11-01'], ['2026-10-30'], ['2026-11-01']] as const
    const countAll = () => Promise.all(ranges.map(([from, to]) => count(monthly, from, to)))
    const before = await countAll()
    expect(before).toEqual([3, 2, 3, 1])

    expect(await destroyAt(monthly, '2026-11-07')).toEqual({ keys: 0, visitorDays: 0 })
    expect(await destroyAt(monthly, '2026-11-08')).toEqual({ keys: 1, visitorDays: 3 })
    const bytes = await readAll()
    expect(bytes.includes(october as Uint8Array)).toBe(false)
    expect(bytes.includes(Buffer.from(inOctober as string, 'hex'))).toBe(false)
    expect(bytes.includes(november as Uint8Array)).toBe(true)
    const secret = await shared.store.visits.openVisitorKey()
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
    expect((await destroyAt(daily, '2026-11-26')).keys).toBe(0)
    expect((await destroyAt(daily, '2026-11-27')).keys).toBe(149)
    const bytes = await readAll()
    expect(made.map(key => bytes.includes(key)).filter(Boolean).length).toBe(1)
    expect(bytes.includes(made[0] as Uint8Array)).toBe(true)
  })

  test('late lines are counted within the grace, and refused after it', async () => {
    await importLines(monthly, [
      ['2026-10-31', '10.0.0.1'],
      ['2026-11-01', '10.0.0.1'],
    ])
    await destroyAt(monthly, '2026-11-06')
    const late: [string, string][] = [
      ['2026-10-31', '10.0.0.1'],
      ['2026-10-31', '10.0.0.2'],
    ]
    expect(await importLines(monthly, late, '2026-11-06')).toEqual({ newVisitorDays: 1, tooOldViews: 0 })
    await destroyAt(monthly, '2026-11-10')
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
    await destroyAt(monthly, '2026-11-16')
    expect(await importLines(monthly, archive, '2026-11-16')).toEqual({ newVisitorDays: 0, tooOldViews: 0 })
    expect((await destroyAt(monthly, '2026-11-18')).keys).toBe(2)
    expect(await importLines(monthly, archive, '2026-11-18')).toEqual({ newVisitorDays: 0, tooOldViews: 3 })
    expect(await count(monthly)).toBe(3)
    await shared.store.visits.deleteVisits(monthly.id)
    expect(await importLines(monthly, archive, '2026-11-18')).toEqual({ newVisitorDays: 3, tooOldViews: 0 })
  })

  test('a batch that was hashed before is refused', async () => {
    await importLines(monthly, [['2026-10-30', '10.0.0.1']])
    const file = join(shared.folder, 'access.log')
    const now = () => noonOf('2026-10-31')
    const visits = {
      ...shared.store.visits,
      async recordBatch(...given: Parameters<TestStore['visits']['recordBatch']>) {
        await destroyAt(monthly, '2026-11-20')
        return shared.store.visits.recordBatch(...given)
      },
    }
    const tally = await importAccessLog({ file, project: monthly, visits, now })
    expect(tally).toMatchObject({ newVisitorDays: 0, tooOldViews: 1 })
    expect(await count(monthly)).toBe(1)
  })
})

shared.describe('a clock that is set', () => {
  test('a key that was created while the clock was ahead does not live until that time', async () => {
    await importLines(monthly, [['2026-10-30', '10.0.0.1']], '2031-01-01')
    expect((await destroyAt(monthly, '2026-11-10')).keys).toBe(0)
    expect((await destroyAt(monthly, '2026-11-16')).keys).toBe(0)
    expect((await destroyAt(monthly, '2026-11-18')).keys).toBe(1)
  })

  test('after the clock was set back, views are still counted with the key of their own date', async () => {
    await importLines(monthly, [['2026-11-10', '10.0.0.1']])
    expect(await importLines(monthly, [['2026-11-10', '10.0.0.1']], '2026-10-01')).toEqual({
      newVisitorDays: 0,
      tooOldViews: 0,
    })
    expect((await destroyAt(monthly, '2026-10-01')).keys).toBe(0)
  })
})

shared.describe('two connections', () => {
  test('get the same key of a new period', async () => {
    const other = await shared.openOther()
    const [first, second] = [await keysAt('2026-11-20'), await keysAt('2026-11-20', other)]
    for (const date of ['2026-11-20', '2026-11-19', '2026-11-18']) {
      const made = [first, second].sort(() => (date.endsWith('9') ? -1 : 1)).map(keys => keys.find(daily, dayOf(date)))
      expect(made[0]).toEqual(made[1])
    }
  })
})
