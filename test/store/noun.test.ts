import BetterSqlite from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { NounsAsSteps } from '../../server/base/steps.ts'
import {
  all,
  atomic,
  bindToSqlite,
  inPostgres,
  type NounWorks,
  onlyPostgres,
  run,
  runLate,
  sql,
  workInPostgres,
} from '../../server/store/noun.ts'
import type { Database as Postgres } from '../../server/store/postgres/database.ts'

interface Names {
  insert(id: string): number
  insertTwice(id: string): number
  list(): string[]
  touch(id: string): void
  whatPostgresDoes(): string | undefined
}

const lock = onlyPostgres<object, object>('SELECT 1 FROM names FOR UPDATE')
const insert = sql<{ id: string }>('INSERT INTO names (id) VALUES (@id)')
const list = sql<object, { id: string }>('SELECT id FROM names ORDER BY id FOR UPDATE SKIP LOCKED')
const touch = sql<{ id: string }>(({ greatest }) => `UPDATE names SET uses = ${greatest}(uses, 7) WHERE id = @id`)

const works: NounWorks<{ names: Names }> = {
  names: {
    *insert(id) {
      yield* all(lock, {})
      return yield* run(insert, { id })
    },
    insertTwice: atomic(function* (id: string) {
      yield* run(insert, { id })
      return yield* run(insert, { id })
    }),
    *list() {
      return (yield* all(list, {})).map(({ id }) => id)
    },
    *touch(id) {
      yield* runLate(touch, { id })
    },
    *whatPostgresDoes() {
      return yield* inPostgres(async () => 'done')
    },
  },
}

let database: BetterSqlite.Database
beforeEach(() => {
  database = new BetterSqlite(':memory:')
  database.exec('CREATE TABLE names (id TEXT PRIMARY KEY, uses INTEGER NOT NULL DEFAULT 0)')
})
afterEach(() => database.close())

const bind = () => bindToSqlite<{ names: Names }>(database, works, work => work())

test('SQLite answers at once, and leaves out what only PostgreSQL does', () => {
  const { names } = bind().nouns
  expect([names.insert('b'), names.insert('a'), names.list(), names.whatPostgresDoes()]).toEqual([
    1,
    1,
    ['a', 'b'],
    undefined,
  ])
  names.touch('a')
  expect(database.prepare('SELECT uses FROM names ORDER BY id').pluck().all()).toEqual([7, 0])
})

test('an atomic method changes everything or nothing', () => {
  const { names } = bind().nouns
  expect(() => names.insertTwice('a')).toThrow('UNIQUE')
  expect(names.list()).toEqual([])
})

test('a transaction makes its steps in their order', () => {
  const work = function* ({ names }: NounsAsSteps<{ names: Names }>) {
    const first = yield* names.insert('a')
    return [first, yield* names.insert('b'), yield* names.list()]
  }
  expect(bind().finish(work)).toEqual([1, 1, ['a', 'b']])
})

test('a step without yield* ends the work with an error, so that its transaction is undone', async () => {
  const forget = function* ({ names }: NounsAsSteps<{ names: Names }>) {
    names.insert('lost')
    return yield* names.insert('made')
  }
  const message = '1 of the steps of a transaction lack yield*'
  expect(() => bind().finish(forget)).toThrow(message)
  const postgres = { run: async () => 1, all: async () => [] } as unknown as Postgres
  await expect(workInPostgres(postgres, works, forget)).rejects.toThrow(message)
})
