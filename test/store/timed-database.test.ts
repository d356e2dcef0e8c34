import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
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

function openTimed(): Database {
  return openDatabase(join(folder, 'quire.db'))
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
  let clock = 0
  const spend = (ms: number) => {
    clock += ms
    return 1
  }
  const now = vi.spyOn(performance, 'now').mockImplementation(() => clock)
  onTestFinished(() => now.mockRestore())
  const database = openTimed()
  database.function('spend', (ms: unknown) => spend(Number(ms)))
  heard.length = 0
  const query = database.prepare<[number], { x: number }>('SELECT spend(?) AS x')
  query.get(30)
  for (const _ of query.iterate(30)) spend(300)
  database.transaction(() => query.all(30)).immediate()
  database.close()
  const spent = [query.source, query.source, query.source].map(text => ({ text, ms: 30 }))
  expect(heard).toEqual([...spent, { text: transactionText, ms: 0 }])
})

test('a reader that ends early leaves the database free', () => {
  const database = openTimed()
  for (const _ of database.prepare('VALUES (1), (2)').iterate()) break
  database.exec('CREATE TABLE more (id INTEGER)')
  database.close()
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
