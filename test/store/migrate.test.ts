import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { shippedFolder } from '../../server/assets.ts'
import { openDatabase } from '../../server/store/database.ts'
import { migrate } from '../../server/store/migrate.ts'

const first = 'CREATE TABLE names (name TEXT NOT NULL) STRICT;'
const second = 'ALTER TABLE names ADD COLUMN length INTEGER; UPDATE names SET length = length(name);'

let folder: string
let file: string
/** As a shipped folder: from the top folder. */
let migrations: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-migrate-'))
  file = join(folder, 'data', 'quire.db')
  mkdirSync(join(folder, 'migrations'))
  migrations = relative(shippedFolder, join(folder, 'migrations'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function ship(...texts: string[]): void {
  for (const [index, text] of texts.entries()) {
    writeFileSync(join(folder, 'migrations', `00${index + 1}-step.sql`), text)
  }
}

function open(): Database.Database {
  return openDatabase(file, migrations)
}

/** Writes a database of schema 1 with a row, as an earlier version would. */
function makeOld(): void {
  ship(first)
  const database = open()
  database.exec("INSERT INTO names VALUES ('Ada')")
  database.close()
}

function read(path: string): { version: unknown; rows: unknown[] } {
  const database = new Database(path, { readonly: true })
  try {
    return {
      version: database.pragma('user_version', { simple: true }),
      rows: database.prepare('SELECT * FROM names').all(),
    }
  } finally {
    database.close()
  }
}

const listData = () =>
  readdirSync(join(folder, 'data'))
    .filter(name => !/-(wal|shm)$/.test(name))
    .sort()

test('an upgrade keeps a copy of the database as it was, which only its owner can read', () => {
  makeOld()
  ship(first, second)
  open().close()
  expect(read(file)).toEqual({ version: 2, rows: [{ name: 'Ada', length: 3 }] })
  expect(listData()).toEqual(['quire.db', 'quire.db.schema-1'])
  expect(read(`${file}.schema-1`)).toEqual({ version: 1, rows: [{ name: 'Ada' }] })
  expect(statSync(`${file}.schema-1`).mode & 0o777).toBe(0o600)
})

test('the copy has rows that are only in the WAL', () => {
  makeOld()
  const other = new Database(file)
  other.exec("INSERT INTO names VALUES ('Grace')")
  ship(first, second)
  open().close()
  other.close()
  expect(read(`${file}.schema-1`).rows).toEqual([{ name: 'Ada' }, { name: 'Grace' }])
})

test('a new database and an upgraded one are not copied', () => {
  ship(first, second)
  open().close()
  open().close()
  expect(listData()).toEqual(['quire.db'])
})

test('when a migration fails, all of them are rolled back, and the sentence names it', () => {
  makeOld()
  ship(
    first,
    second,
    "CREATE TABLE more (name TEXT) STRICT; INSERT INTO more VALUES (x'00'); INSERT INTO more VALUES (1)",
  )
  expect(open).toThrow(
    /Cannot use .*quire\.db: the migration 003-step\.sql failed \(.+\)\. Nothing was changed: it still has schema 1\. Use the earlier/,
  )
  expect(read(file)).toEqual({ version: 1, rows: [{ name: 'Ada' }] })
  expect(listData()).toEqual(['quire.db'])
})

test('what another process writes after the copy was made is in a second copy', () => {
  makeOld()
  ship(first, second)
  const other = new Database(file)
  const database = new Database(file)
  // The other process writes once, between the copy and the lock.
  const begin = database.transaction.bind(database)
  let hasWritten = false
  database.transaction = ((work: () => unknown) => {
    if (!hasWritten) other.exec("INSERT INTO names VALUES ('Grace')")
    hasWritten = true
    return begin(work)
  }) as typeof database.transaction
  migrate(database, file, migrations)
  database.close()
  other.close()
  expect(hasWritten).toBe(true)
  expect(read(`${file}.schema-1`).rows).toEqual([{ name: 'Ada' }, { name: 'Grace' }])
  expect(read(file).rows).toHaveLength(2)
})

test('what a killed upgrade left is removed by the next one', () => {
  makeOld()
  // No process has this id: it is larger than any that Linux gives.
  writeFileSync(`${file}.schema-1.draft-99999999`, 'half a copy')
  ship(first, second)
  open().close()
  expect(listData()).toEqual(['quire.db', 'quire.db.schema-1'])
})

test('a database from the future is refused and not copied', () => {
  ship(first, second)
  open().close()
  rmSync(join(folder, 'migrations', '002-step.sql'))
  expect(open).toThrow(/it was written by a newer Quire \(schema 2; this version supports 1\)\. Upgrade Quire\./)
  expect(listData()).toEqual(['quire.db'])
})

const third = '-- Usable from 001: the table is new.\nCREATE TABLE more (name TEXT) STRICT;'
const readOldest = () => {
  const database = new Database(file, { readonly: true })
  try {
    return database.prepare('SELECT oldest FROM schema_span').pluck().get()
  } finally {
    database.close()
  }
}

test('a version goes on with a database after a newer one has upgraded it in a way that it can use', () => {
  makeOld()
  const running = open()
  ship(first, `-- Usable from 001: the column may be empty.\n${second}`)
  open().close()
  expect(readOldest()).toBe(1)
  rmSync(join(folder, 'migrations', '002-step.sql'))
  running.exec("INSERT INTO names (name) VALUES ('Grace')")
  running.close()
  const again = open()
  again.exec("INSERT INTO names (name) VALUES ('Edith')")
  again.close()
  expect(read(file)).toEqual({
    version: 2,
    rows: [
      { name: 'Ada', length: 3 },
      { name: 'Grace', length: null },
      { name: 'Edith', length: null },
    ],
  })
  expect(listData()).toEqual(['quire.db', 'quire.db.schema-1'])
})

test('of several migrations, the one that needs the newest version decides', () => {
  ship(first, second, third)
  open().close()
  expect(readOldest()).toBe(2)
  ship(first, second, third, '-- Usable from 003: nobody uses it.\nDROP TABLE more;')
  open().close()
  expect(readOldest()).toBe(3)
  rmSync(join(folder, 'migrations', '004-step.sql'))
  open().close()
  rmSync(join(folder, 'migrations', '003-step.sql'))
  expect(open).toThrow('it was written by a newer Quire (schema 4; this version supports 2). Upgrade Quire.')
})

test('a migration that no earlier version can use removes the table of the span', () => {
  ship(first, second, third)
  open().close()
  ship(first, second, third, 'DROP TABLE names;')
  open().close()
  expect(readOldest).toThrow('no such table: schema_span')
})
