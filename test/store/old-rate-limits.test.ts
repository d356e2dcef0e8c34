import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { openDatabase } from '../../server/store/database.ts'
import { openRateLimits } from '../../server/store/rate-limits.ts'

const at = Date.UTC(2026, 10, 20)
/** What was used of a budget of 100 that refilled by one each 36 s: until when, and when that was stored. */
const table: [used: string, arrivalAt: number, storedAt: number | null, instants: number[]][] = [
  ['nothing', at, at, []],
  ['long ago', at, at + 1, []],
  ['one', at + 36_000, at, [at]],
  ['a part of one', at + 1, at, [at]],
  ['one and a part', at + 36_001, at, [at, at]],
  ['all', at + 3_600_000, at, Array(100).fill(at)],
  ['more than all', at + 9_000_000, at, Array(100).fill(at)],
  ['unknown when', at + 36_000, null, Array(100).fill(at + 36_000)],
]

test('an upgrade of a database of SQLite keeps what is used of the rate limits', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-old-limits-'))
  const file = join(folder, 'quire.db')
  writeFileSync(file, gunzipSync(readFileSync(join(import.meta.dirname, 'schemas/main-11-visits-5/quire.db.gz'))))
  const old = new Database(file)
  for (const [id, arrivalAt, storedAt] of table) {
    old.prepare(`INSERT INTO organizations (id, name, plan, created_at) VALUES (?, 'Acme', 'standard', 0)`).run(id)
    old.prepare(`INSERT INTO rate_limits VALUES (?, 'analytics', ?, ?)`).run(id, arrivalAt, storedAt)
  }
  old.close()
  const database = openDatabase(file)
  try {
    const limits = openRateLimits(database)
    const found = table.map(([id, arrivalAt, storedAt]) => [id, arrivalAt, storedAt, limits.find(id, 'analytics')])
    expect(found).toEqual(table)
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
  } finally {
    database.close()
    rmSync(folder, { recursive: true })
  }
})
