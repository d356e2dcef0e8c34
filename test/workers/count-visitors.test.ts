import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { viewReport } from '../../server/analytics/report/report-view.ts'
import type { UniqueVisitorCounter } from '../../server/analytics/unique-visitors.ts'
import { toViewBatch } from '../../server/analytics/view-batch.ts'
import { openStore, type Store } from '../../server/store/store.ts'
import { startVisitorCounting, type VisitorCountsThread } from '../../server/workers/count-visitors.ts'

const page = { limit: 10, offset: 0 }
const view = (visitor: number, path: string) => ({
  visitor: Buffer.alloc(16, visitor),
  path,
  day: 20_700,
  kind: 'ai' as const,
})

let dataFolder: string
let store: Store
let counts: VisitorCountsThread

beforeEach(() => {
  dataFolder = mkdtempSync(join(tmpdir(), 'quire-counts-'))
  store = openStore(dataFolder)
  store.organizations.insert({ id: 'org_1', name: 'Acme', plan: 'standard', createdAt: 0 })
  store.projects.insert({
    id: 'prj_1',
    organizationId: 'org_1',
    name: '',
    visitorSaltRotation: 'never',
    visitorRules: 2,
    createdAt: 0,
  })
  store.visits.recordBatch('prj_1', toViewBatch([view(1, '/a'), view(2, '/a'), view(2, '/b')]))
  counts = startVisitorCounting({ dataFolder })
})
afterEach(async () => {
  await counts.stop()
  store.close()
  rmSync(dataFolder, { recursive: true, force: true })
})

test('gives the same answers as the store, to several queries at once, and includes new visits', async () => {
  const questions: Parameters<UniqueVisitorCounter['countUniqueVisitors']>[] = [
    ['prj_1', {}, page],
    ['prj_1', { dateFrom: 20_701 }, page],
    ['prj_1', {}, { limit: 1, offset: 1 }],
    ['prj_unknown', {}, page],
  ]
  const ask = () => Promise.all(questions.map(question => counts.countUniqueVisitors(...question)))
  const expected = () => Promise.all(questions.map(question => store.visits.countUniqueVisitors(...question)))
  expect(await ask()).toEqual(await expected())
  store.visits.recordBatch('prj_1', toViewBatch([view(3, '/c')]))
  expect(await ask()).toEqual(await expected())
  expect((await ask())[0]?.totals.total).toBe(3)
})

test('reports and totals are those of the store', async () => {
  const pages = { order: 'path' as const, contains: 'B', limit: 10, offset: 0 }
  const question = { projectId: 'prj_1', range: {}, pages }
  const report = await counts.readReport(question)
  expect(report).toEqual(await viewReport(store.visits, question))
  expect(report).toMatchObject({ totals: { total: 2 }, pages: [{ path: '/b' }], pageCount: 2, matching: 1 })
  const ranges = [{}, { dateFrom: 20_701 }]
  expect(await counts.countTotals('prj_1', ranges)).toEqual(store.visits.countTotals('prj_1', ranges))
  expect(await counts.readReport({ ...question, projectId: 'prj_unknown' })).toMatchObject({ visited: null, pages: [] })
})

test('a third file of a report waits until one is read or given up', async () => {
  const open = () => counts.readReportFile('prj_1', {})
  const [first, second] = [await open(), await open()]
  let isOpen = false
  const third = Promise.resolve(open()).then(file => {
    isOpen = true
    return file
  })
  for (let round = 0; round < 5; round++) await counts.findRevision('prj_1')
  expect(isOpen).toBe(false)
  await first[Symbol.asyncIterator]().return?.()
  for (const file of [second, await third]) {
    const parts: Uint8Array[] = []
    for await (const part of file) parts.push(part)
    expect(JSON.parse(Buffer.concat(parts).toString()).pages).toHaveLength(2)
  }
})

test('an error fails only its query, and the next query is answered', async () => {
  const database = new Database(join(dataFolder, 'visits', 'prj_1.db'))
  database.exec('ALTER TABLE month_counters RENAME TO away')
  const wrong = counts.countUniqueVisitors('prj_1', {}, page)
  await expect(wrong).rejects.toThrow('lacks the table month_counters')
  database.exec('ALTER TABLE away RENAME TO month_counters')
  database.close()
  expect(await counts.countUniqueVisitors('prj_1', {}, page)).toMatchObject({ totals: { total: 2 } })
})

test('if the thread cannot start, its queries fail, and the next query starts another thread', async () => {
  const setup = { dataFolder: undefined as unknown as string }
  const failing = startVisitorCounting(setup)
  await expect(failing.countUniqueVisitors('prj_1', {}, page)).rejects.toThrow('The thread that counts visitors ended.')
  setup.dataFolder = dataFolder
  expect(await failing.countUniqueVisitors('prj_1', {}, page)).toMatchObject({ totals: { total: 2 } })
  await failing.stop()
})

test('a waiting query fails when the thread is stopped', async () => {
  const waiting = expect(counts.countUniqueVisitors('prj_1', {}, page)).rejects.toThrow('ended')
  await counts.stop()
  await waiting
})

describe('all pages as CSV', () => {
  const paths = Array.from({ length: 2500 }, (_, i) => `/page,${i}`)
  const read = async (csv: AsyncIterable<Uint8Array>) => {
    const parts: string[] = []
    for await (const part of csv) parts.push(Buffer.from(part).toString())
    return parts
  }
  const isSettled = async (promise: Promise<unknown>) => {
    const pending = {}
    // Several rounds of questions, each after the one before.
    for (let round = 0; round < 5; round++) await counts.findRevision('prj_1')
    return (await Promise.race([promise.then(() => true), Promise.resolve(pending)])) !== pending
  }

  beforeEach(() => {
    store.visits.recordBatch('prj_1', toViewBatch(paths.map(path => view(1, path))))
  })

  test('has the pages of the JSON in the same order, in several parts', async () => {
    const { totals, csv, revision } = await counts.readAllPages('prj_1', {})
    expect({ totals, revision }).toEqual({
      totals: { human: 0, ai: 2, total: 2 },
      revision: await counts.findRevision('prj_1'),
    })
    const parts = await read(csv)
    expect(parts.length).toBeGreaterThan(2)
    const { visitors } = await store.visits.countUniqueVisitors('prj_1', {}, { limit: 1e6, offset: 0 })
    const lines = visitors.map(({ path, human, ai, total }) => {
      return `${path.includes(',') ? `"${path}"` : path},${human},${ai},${total}`
    })
    expect(visitors).toHaveLength(2502)
    expect(parts.join('')).toBe(['path,human,ai,total', ...lines, ''].join('\r\n'))
  })

  test('stays as it was when it was opened, while visits are recorded and deleted', async () => {
    const { csv } = await counts.readAllPages('prj_1', {})
    const before = (await read((await counts.readAllPages('prj_1', {})).csv)).join('')
    const parts: string[] = []
    for await (const part of csv) {
      parts.push(Buffer.from(part).toString())
      const visitor = parts.length + 10
      store.visits.recordBatch('prj_1', toViewBatch([view(visitor, '/page,2400'), view(visitor, `/new${visitor}`)]))
      if (parts.length === 2) store.visits.deleteVisits('prj_1')
    }
    expect(parts.join('')).toBe(before)
  })

  test('is only the head if nobody came', async () => {
    expect(await read((await counts.readAllPages('prj_1', { dateFrom: 30_000 })).csv)).toEqual([
      'path,human,ai,total\r\n',
    ])
    expect(await read((await counts.readAllPages('prj_unknown', {})).csv)).toEqual(['path,human,ai,total\r\n'])
  })

  test('a third CSV of a project waits until one is read or given up', async () => {
    const [first, second] = [await counts.readAllPages('prj_1', {}), await counts.readAllPages('prj_1', {})]
    const third = counts.readAllPages('prj_1', {})
    const fourth = counts.readAllPages('prj_1', {})
    expect(await isSettled(Promise.resolve(third))).toBe(false)
    await first.csv[Symbol.asyncIterator]().return?.()
    await read((await third).csv)
    await read(second.csv)
    expect(await read((await fourth).csv)).not.toHaveLength(0)
  })

  test('fails when the thread ends before it is read, and the next one is answered', async () => {
    const { csv } = await counts.readAllPages('prj_1', {})
    await counts.stop()
    await expect(read(csv)).rejects.toThrow('The file was closed.')
    const again = await Promise.all([counts.readAllPages('prj_1', {}), counts.readAllPages('prj_1', {})])
    for (const { csv } of again) expect((await read(csv)).length).toBeGreaterThan(2)
  })

  test('an error frees its place', async () => {
    const database = new Database(join(dataFolder, 'visits', 'prj_1.db'))
    database.exec('ALTER TABLE month_counters RENAME TO away')
    for (let i = 0; i < 3; i++) {
      await expect(counts.readAllPages('prj_1', {})).rejects.toThrow('lacks the table month_counters')
    }
    database.exec('ALTER TABLE away RENAME TO month_counters')
    database.close()
    expect((await read((await counts.readAllPages('prj_1', {})).csv)).length).toBeGreaterThan(2)
  })
})
