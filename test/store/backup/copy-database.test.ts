import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { copyDatabase } from '../../../server/store/backup/copy-database.ts'

let folder: string
let writer: Database.Database
const file = () => join(folder, 'live.db')
const copy = () => join(folder, 'copy.db')

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-copy-'))
  writer = new Database(file())
  writer.pragma('journal_mode = WAL')
  writer.exec('CREATE TABLE rows (number INTEGER PRIMARY KEY, filler BLOB)')
  writer.exec(
    `WITH RECURSIVE count(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM count WHERE n < 2000)
     INSERT INTO rows SELECT n, randomblob(1000) FROM count`,
  )
  writer.pragma('user_version = 5')
})
afterEach(() => {
  writer.close()
  rmSync(folder, { recursive: true, force: true })
})

function listRows(database: Database.Database): number[] {
  return database.prepare<[], number>('SELECT number FROM rows ORDER BY number').pluck().all()
}

test('a copy has the rows of one instant, although another connection writes between all its steps', async () => {
  const before = listRows(writer)
  const shares: number[] = []
  const schema = await copyDatabase(file(), copy(), {
    pagesAtATime: 50,
    onProgress(share) {
      shares.push(share)
      // Lets a copy end that each write restarts.
      if (shares.length > 200) return
      writer.prepare('INSERT INTO rows (filler) VALUES (randomblob(1000))').run()
      writer.prepare('UPDATE rows SET filler = randomblob(500) WHERE number = 7').run()
    },
  })
  expect(schema).toEqual({ version: 5, oldest: 5 })
  // A copy that begins again never gets further.
  expect(shares).toEqual([...shares].sort((a, b) => a - b))
  expect(shares.length).toBeGreaterThan(5)
  const copied = new Database(copy(), { readonly: true })
  expect(listRows(copied)).toEqual(before)
  expect(copied.pragma('integrity_check', { simple: true })).toBe('ok')
  copied.close()
  expect(listRows(writer).length).toBe(before.length + shares.length)
})

test('a copy is one private file that needs no other', async () => {
  await copyDatabase(file(), copy(), { onProgress() {} })
  expect(statSync(copy()).mode & 0o777).toBe(0o600)
  const copied = new Database(copy(), { readonly: true })
  expect(copied.pragma('journal_mode', { simple: true })).toBe('delete')
  copied.close()
  expect(readdirSync(folder).filter(name => name.startsWith('copy'))).toEqual(['copy.db'])
})

test('the WAL of a killed process is read, and stays as it is', async () => {
  // As a kill leaves them: files of a database that nobody closed.
  writer.prepare('INSERT INTO rows (number) VALUES (99999)').run()
  const killed = join(folder, 'killed.db')
  for (const end of ['', '-wal', '-shm']) writeFileSync(killed + end, readFileSync(file() + end))
  const [main, wal] = [readFileSync(killed), readFileSync(`${killed}-wal`)]
  await copyDatabase(killed, copy(), { onProgress() {} })
  const copied = new Database(copy(), { readonly: true })
  expect(listRows(copied)).toContain(99_999)
  copied.close()
  expect(readFileSync(killed).equals(main)).toBe(true)
  expect(readFileSync(`${killed}-wal`).equals(wal)).toBe(true)
})

test('a damaged database is refused, and leaves no copy', async () => {
  writer.close()
  const bytes = readFileSync(file())
  bytes.fill(0xa5, 8192, 8192 + 4096 * 20)
  writeFileSync(file(), bytes)
  await expect(copyDatabase(file(), copy(), { onProgress() {} })).rejects.toThrow(/live\.db is damaged .*Restore/)
  expect(readdirSync(folder)).not.toContain('copy.db')
})

test.each([
  ['a file that is no database', 'x'.repeat(5000), /is not a SQLite database/],
  ['a missing file', undefined, /cannot be opened/],
])('%s is refused', async (_, content, message) => {
  const other = join(folder, 'other.db')
  if (content !== undefined) writeFileSync(other, content)
  await expect(copyDatabase(other, copy(), { onProgress() {} })).rejects.toThrow(message)
  expect(readdirSync(folder)).not.toContain('copy.db')
})
