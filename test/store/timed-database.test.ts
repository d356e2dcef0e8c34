import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type EndedStatement, endedStatements } from '../../server/base/measures.ts'
import { type Database, openDatabase } from '../../server/store/database.ts'
import { openStore } from '../../server/store/store.ts'
import { transactionText } from '../../server/store/timed-database.ts'

let folder: string
let heard: EndedStatement[]
let stop: () => void
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-timed-'))
  heard = []
  stop = endedStatements.listen(statement => heard.push(statement))
})
afterEach(() => {
  stop()
  rmSync(folder, { recursive: true, force: true })
})

const texts = () => heard.map(({ text }) => text.replaceAll(/\s+/g, ' '))

/** Blocks, as a disk does. */
const block = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

function openTimed(): Database {
  const database = openDatabase(join(folder, 'quire.db'))
  database.function('block', (ms: unknown) => block(Number(ms)) && 1)
  return database
}

test('the store tells each statement with its text and its time, without its values', async () => {
  const store = openStore(folder)
  heard.length = 0
  await store.organizations.insert({ id: 'org_1', name: 'Acme', plan: 'standard', createdAt: 0 })
  await store.organizations.find('org_1')
  store.close()
  expect(texts()).toEqual(
    expect.arrayContaining([expect.stringMatching(/^INSERT INTO organizations /), expect.stringMatching(/@id/)]),
  )
  expect(texts().join()).not.toMatch(/org_1|Acme/)
})

test('the time is that of the statement, also by row and in a transaction', () => {
  const database = openTimed()
  heard.length = 0
  const query = database.prepare<[number], { x: number }>('SELECT block(?) AS x')
  query.get(30)
  for (const _ of query.iterate(30)) block(300)
  database.transaction(() => query.all(30)).immediate()
  database.close()
  expect(texts()).toEqual([query.source, query.source, query.source, transactionText])
  for (const { ms } of heard.slice(0, 3)) expect(ms).toSatisfy((time: number) => time >= 29 && time < 250)
  expect(heard[3]?.ms).toBeLessThan(29)
})

test('a transaction keeps its forms, its answer and its error', () => {
  const database = openTimed()
  const add = database.transaction((id: string) => {
    database.prepare("INSERT INTO organizations (id, name, plan, created_at) VALUES (?, 'x', 'standard', 0)").run(id)
    if (id === 'bad') throw new Error('refused')
    return id
  })
  expect([add('a'), add.immediate('b'), add.exclusive('c')]).toEqual(['a', 'b', 'c'])
  expect(() => add.deferred('bad')).toThrow('refused')
  expect(database.prepare('SELECT id FROM organizations').pluck().all()).toEqual(['a', 'b', 'c'])
  database.close()
})

test('a database that was opened while nobody listened is not touched', () => {
  stop()
  const database = openDatabase(join(folder, 'quire.db'))
  expect(Object.hasOwn(database, 'prepare') || Object.hasOwn(database, 'transaction')).toBe(false)
  database.close()
})
