import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDatabase } from '../../server/store/database.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-database-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('migrations are numbered without a gap', () => {
  const names = readdirSync(join(import.meta.dirname, '../../server/store/migrations')).sort()
  expect(names.map(name => Number(name.slice(0, 3)))).toEqual(names.map((_, i) => i + 1))
})

test('a new database has every table STRICT, a WAL, foreign keys and a busy timeout', () => {
  const database = openDatabase(join(folder, 'quire.db'))
  const tables = database
    .prepare<[], { name: string; strict: number }>(
      "SELECT name, strict FROM pragma_table_list WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'schema_span'",
    )
    .all()
  expect(tables.map(({ name }) => name)).toContain('export_jobs')
  expect(tables.filter(({ strict }) => strict !== 1)).toEqual([])
  expect(database.pragma('journal_mode', { simple: true })).toBe('wal')
  expect(database.pragma('foreign_keys', { simple: true })).toBe(1)
  expect(database.pragma('busy_timeout', { simple: true })).toBe(5000)
  database.close()
})

test('opening it again changes nothing', () => {
  const schema = () => {
    const database = openDatabase(join(folder, 'quire.db'))
    const rows = database.prepare('SELECT * FROM sqlite_schema ORDER BY name').all()
    database.close()
    return rows
  }
  expect(schema()).toEqual(schema())
})

test.each(['organizations.plan', 'agent_jobs.status', 'export_jobs.status'])('%s is checked', column => {
  const database = openDatabase(':memory:')
  const [table, name] = column.split('.') as [string, string]
  const { sql } = database
    .prepare<[string], { sql: string }>('SELECT sql FROM sqlite_schema WHERE name = ?')
    .get(table) ?? { sql: '' }
  expect(sql).toMatch(new RegExp(`${name} TEXT NOT NULL CHECK \\(${name} IN`))
  database.close()
})
