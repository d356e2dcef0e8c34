import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, test } from 'vitest'
import { countPostgresMigrations, releases } from '../../server/store/releases.ts'
import { findSpan } from '../../server/store/schema-span.ts'
import {
  listKnownSchemas,
  listMigrations,
  listPostgresMigrations,
  readMigration,
  schemaFolders,
} from '../../server/store/schema-versions.ts'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
const shipped = [schemaFolders.main, schemaFolders.visits].flatMap(folder =>
  listMigrations(folder).map(name => `${folder}/${name}`),
)

test('the last release is this version, with the migrations that it has', () => {
  expect(releases.at(-1)).toEqual({ version, ...listKnownSchemas() })
  expect(releases.map(countPostgresMigrations).at(-1)).toBe(listPostgresMigrations().length)
})

test('the numbers of both databases mean the same migration', () => {
  const main = listMigrations(schemaFolders.main)
  const postgres = listPostgresMigrations()
  // From the first migration that both have.
  for (let known = 12; known <= main.length; known += 1) {
    const ofPostgres = countPostgresMigrations({ version: '', main: known, visits: 0 })
    expect([known, basename(postgres[ofPostgres - 1] ?? '')]).toEqual([known, main[known - 1]])
  }
})

/** Returns why earlier versions could not use a database after a migration that says they can; null = nothing was found. */
function findBreak(number: number, text: string): string | null {
  const from = /^-- Usable from (\d{3}):/m.exec(text)?.[1]
  if (from === undefined) return null
  if (Number(from) >= number || Number(from) === 0) return 'names a migration that does not come before it'
  if (/ADD COLUMN[^;]* NOT NULL(?![^;]* DEFAULT)/.test(text)) return 'adds a column that earlier versions do not fill'
  // Only versions that no longer need it, since a migration in between, can go on without it.
  const takes = /\b(DROP|RENAME|(?<!ON )DELETE|ALTER COLUMN|ADD CONSTRAINT|UNIQUE)\b/.exec(text)?.[0]
  return takes !== undefined && Number(from) === number - 1 ? `takes something away (${takes})` : null
}

test.each([
  ['ALTER TABLE sites ADD COLUMN login BLOB', 19, null],
  ['ALTER TABLE sites ADD COLUMN login BLOB NOT NULL', 19, 'adds a column that earlier versions do not fill'],
  ["ALTER TABLE sites ADD COLUMN login TEXT NOT NULL DEFAULT ''", 19, null],
  ['ALTER TABLE sites DROP COLUMN login', 19, 'takes something away (DROP)'],
  ['ALTER TABLE sites DROP COLUMN login', 18, null],
  ['DELETE FROM sites', 19, 'takes something away (DELETE)'],
  ['CREATE TABLE logins (domain TEXT REFERENCES sites (domain) ON DELETE CASCADE) STRICT', 19, null],
  ['CREATE TABLE logins (id TEXT) STRICT', 20, 'names a migration that does not come before it'],
])('the rule for migrations: %s, usable from %i', (sql, from, problem) => {
  const text = `-- Usable from 0${from}: a reason.\n${sql};`
  expect(findBreak(20, text)).toBe(problem)
})

test('a migration that earlier versions can use takes nothing away from them', () => {
  for (const path of shipped) {
    const text = readMigration(path, 'SQLite') + readMigration(path, 'PostgreSQL')
    expect([path, findBreak(Number(basename(path).slice(0, 3)), text)]).toEqual([path, null])
  }
})

test('without a line that says otherwise, a version must know all migrations', () => {
  const paths = listPostgresMigrations()
  expect(findSpan(paths.slice(0, 5))).toEqual({ version: 5, oldest: 5 })
  expect(findSpan([])).toEqual({ version: 0, oldest: 0 })
})
