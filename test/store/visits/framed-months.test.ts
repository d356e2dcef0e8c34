import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { listFrames } from '../../../server/analytics/counters/block-frames.ts'
import { decodeBlock, encodeBlock } from '../../../server/analytics/counters/cell-block.ts'
import type { DayRange } from '../../../server/analytics/unique-visitors.ts'
import { type PageView, toViewBatch } from '../../../server/analytics/view-batch.ts'
import { countNaively } from '../count-naively.ts'
import { shareTests } from '../stores.ts'

const id = 'prj_1'
const shared = shareTests(async ({ store: { organizations, projects } }) => {
  await organizations.insert({ id: 'org_1', name: 'Acme', plan: 'standard', createdAt: 0 })
  await projects.insert({
    id,
    organizationId: 'org_1',
    name: id,
    visitorSaltRotation: 'never',
    visitorRules: 2,
    createdAt: 0,
  })
})

/** 2026-01-01. */
const firstDay = 20_454
const days = 150
const pages = 240

/** Each page has a visitor on each day, who comes back after 20 to 36 days; so months have more than 4096 counters. */
const views: PageView[] = Array.from({ length: days * pages }, (_, i) => {
  const [page, day] = [i % pages, Math.floor(i / pages)]
  const visitor = Buffer.alloc(16, (day + page) % (20 + (page % 17)))
  return { visitor, path: `/page-${page}`, day: firstDay + day, kind: (page * day) % 5 === 0 ? 'ai' : 'human' }
})

const ranges: DayRange[] = [
  {},
  { dateFrom: firstDay + 10 },
  { dateFrom: firstDay + 31, dateTo: firstDay + 140 },
  { dateFrom: firstDay + 59 },
  { dateFrom: firstDay + 85, dateTo: firstDay + 149 },
]

async function ask() {
  const { visits } = shared.store
  const totals = await visits.countTotals(id, ranges)
  const counts = []
  for (const range of ranges) counts.push(await visits.countUniqueVisitors(id, range, { limit: 250, offset: 0 }))
  return { totals, counts }
}

/** Gives each block of a month to `change`, and writes what it returns. */
async function changeMonths(change: (block: Buffer) => Uint8Array | undefined): Promise<void> {
  const { url, run, folder } = shared
  if (url === undefined) {
    const database = new Database(join(folder, 'visits', `${id}.db`))
    const update = database.prepare('UPDATE month_counters SET block = ? WHERE month = ?')
    for (const row of database.prepare('SELECT month, block FROM month_counters').all()) {
      const { month, block } = row as { month: number; block: Buffer }
      const changed = change(block)
      if (changed) update.run(changed, month)
    }
    database.close()
    return
  }
  for (const { month, block } of await run('SELECT month, block FROM month_counters')) {
    const changed = change(block as Buffer)
    if (!changed) continue
    await run(`UPDATE month_counters SET block = '\\x${Buffer.from(changed).toString('hex')}' WHERE month = ${month}`)
  }
}

shared.describe('months in frames', () => {
  test('count as old months in one frame and as naive sets do, and views are added to both', async () => {
    const [early, late] = [views.filter((_, i) => i % 3), views.filter((_, i) => i % 3 === 0)]
    await shared.store.visits.recordBatch(id, toViewBatch(early))
    const framed: unknown[] = []
    await changeMonths(block => {
      if (listFrames(block)) framed.push(block)
      return undefined
    })
    expect(framed.length).toBeGreaterThan(2)
    const before = await ask()
    await changeMonths(block => encodeBlock(decodeBlock(block)))
    expect(await ask()).toEqual(before)

    await shared.store.visits.recordBatch(id, toViewBatch(late))
    const want = ranges.map(range => countNaively(views, range))
    expect(await ask()).toEqual({ totals: want.map(({ totals }) => totals), counts: want })
  })
})
