import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checkDatabases } from '../../server/commands/doctor/check-databases.ts'
import { startServer } from '../../server/server.ts'
import { openDatabase } from '../../server/store/database.ts'
import { schemaFolders } from '../../server/store/schema-versions.ts'
import { openStore } from '../../server/store/store.ts'
import { createConfig } from '../support/server.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-foreign-'))
  file = join(folder, 'quire.db')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Writes a database with these statements in place of that of Quire. */
function write(...statements: string[]): void {
  const database = new Database(file)
  for (const statement of statements) database.exec(statement)
  database.close()
}

function addBundle(): void {
  mkdirSync(join(folder, 'bundles'))
  writeFileSync(join(folder, 'bundles/se_1-1.zip'), 'a bundle')
}

describe.each<[string, string, string[]]>([
  [
    'of another program',
    'it was not made by Quire: it has no schema version, but has the table notes.',
    ['CREATE TABLE notes (a)', 'CREATE INDEX of_notes ON notes (a)'],
  ],
  [
    'of another program with the schema version of Quire',
    'it has schema version 8, but lacks the tables organizations, projects, sites and 8 more. Another program made it, or it is damaged.',
    ['CREATE TABLE notes (a)', 'PRAGMA user_version = 8'],
  ],
  [
    'of another program with a higher schema version',
    'it has schema version 99, but lacks the tables organizations, projects, sites and 18 more. Another program made it, or it is damaged.',
    ['CREATE TABLE notes (a)', 'PRAGMA user_version = 99'],
  ],
  [
    'without tables, but with a schema version',
    'it has schema version 2, but lacks the tables organizations, projects, sites and 3 more. Another program made it, or it is damaged.',
    ['PRAGMA user_version = 2'],
  ],
])('a database %s', (_, problem, statements) => {
  test('is refused, and stays as it is', async () => {
    write(...statements)
    const before = readFileSync(file)
    const message = `Cannot use ${file}: ${problem} Move it away, and restore a backup if there is one.`
    // Also without other data, because the file has data of another program.
    expect(() => openStore(folder)).toThrow(expect.objectContaining({ message, exitCode: 1 }))
    addBundle()
    const start = startServer(createConfig({ data: folder }), pino({ level: 'silent' }))
    await expect(start).rejects.toThrow(expect.objectContaining({ message }))
    expect(readFileSync(file).equals(before)).toBe(true)
    expect(existsSync(`${file}-wal`)).toBe(false)
    expect(existsSync(join(folder, 'lost'))).toBe(false)
  })

  test('is a failure of doctor', async () => {
    write(...statements)
    addBundle()
    expect(await checkDatabases(folder)).toContainEqual({
      check: 'databases',
      level: 'failure',
      message: statements.length === 1 ? 'quire.db is empty.' : `quire.db cannot be used: ${problem}`,
      remedy: expect.stringContaining('restore a backup'),
    })
  })
})

test('the WAL of another program stays as it is', () => {
  const other = new Database(file)
  other.pragma('journal_mode = WAL')
  other.exec('CREATE TABLE notes (a)')
  const left = [file, `${file}-wal`].map(name => [name, readFileSync(name)] as const)
  other.close()
  for (const [name, bytes] of left) writeFileSync(name, bytes)
  expect(() => openStore(folder)).toThrow('it was not made by Quire')
  for (const [name, bytes] of left) expect(readFileSync(name).equals(bytes)).toBe(true)
})

test('a database that lost one of its tables is refused, and one with an additional table is not', () => {
  openStore(folder).close()
  write('CREATE TABLE notes (a)')
  openStore(folder).close()
  write('DROP TABLE readiness')
  expect(() => openStore(folder)).toThrow(/it has schema version \d+, but lacks the table readiness\. Another/)
})

test('a database of visits that another program made is refused', () => {
  write('CREATE TABLE notes (a)')
  expect(() => openDatabase(file, schemaFolders.visits)).toThrow('it was not made by Quire')
})
