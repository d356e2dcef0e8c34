import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { UnavailableError } from '../../server/base/unavailable-error.ts'
import { type Database, openDatabase } from '../../server/store/database.ts'
import { createWriteQueue, queueCalls, type WriteQueue } from '../../server/store/write-queue.ts'

let folder: string
let database: Database
/** Another connection, which takes the lock as another process would. */
let other: Database
let queue: WriteQueue
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-queue-'))
  const file = join(folder, 'quire.db')
  database = openDatabase(file)
  database.exec('CREATE TABLE numbers (number INTEGER NOT NULL UNIQUE, filling TEXT) STRICT')
  database.pragma('busy_timeout = 0')
  other = openDatabase(file)
  queue = createWriteQueue()
})
afterEach(() => {
  queue.close()
  other.close()
  database.close()
  rmSync(folder, { recursive: true, force: true })
})

const insert = (number: number, filling = '') =>
  database.prepare('INSERT INTO numbers (number, filling) VALUES (?, ?)').run(number, filling).changes
const list = () => other.prepare('SELECT number FROM numbers ORDER BY rowid').pluck().all()

test('without a lock, a write runs at once and answers without a promise', () => {
  expect(queue.write(() => insert(1))).toBe(1)
  expect(list()).toEqual([1])
})

test('a write that meets a lock waits while other events go on, and runs when the lock ends', async () => {
  other.exec('BEGIN EXCLUSIVE')
  const written = queue.write(() => insert(1))
  let isWritten = false
  Promise.resolve(written).then(() => {
    isWritten = true
  })
  for (let turn = 0; turn < 20; turn++) await nextTurn()
  expect(isWritten).toBe(false)
  other.exec('ROLLBACK')
  expect(await written).toBe(1)
  expect(list()).toEqual([1])
})

test('writes keep their order, also those that come after the lock has ended', async () => {
  other.exec('BEGIN EXCLUSIVE')
  const first = queue.write(() => insert(3))
  const second = queue.write(() => insert(1))
  other.exec('ROLLBACK')
  await Promise.all([first, second, queue.write(() => insert(2))])
  expect(list()).toEqual([3, 1, 2])
})

test('a read does not wait for the writes', async () => {
  insert(7)
  other.exec('BEGIN EXCLUSIVE')
  const written = queue.write(() => insert(8))
  expect(queue.read(() => database.prepare('SELECT number FROM numbers').pluck().all())).toEqual([7])
  other.exec('ROLLBACK')
  await written
})

test('a write whose patience ends is refused and changes nothing; the others wait on', async () => {
  other.exec('BEGIN EXCLUSIVE')
  const refused = queue.write(() => insert(1), 20)
  const written = queue.write(() => insert(2))
  await expect(refused).rejects.toMatchObject({ name: 'UnavailableError', reason: 'locked', code: 'SQLITE_BUSY' })
  other.exec('ROLLBACK')
  await written
  expect(list()).toEqual([2])
})

test('an error of one write does not reach the others', async () => {
  insert(1)
  other.exec('BEGIN EXCLUSIVE')
  const failed = queue.write(() => insert(1))
  const written = queue.write(() => insert(2))
  other.exec('ROLLBACK')
  await expect(failed).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT_UNIQUE' })
  expect(await written).toBe(1)
})

test.each([
  ['at once', false],
  ['after a wait', true],
])('a full disk refuses a write that runs %s', async (_, waits) => {
  const pages = database.pragma('page_count', { simple: true }) as number
  database.pragma(`max_page_count = ${pages}`)
  if (waits) other.exec('BEGIN EXCLUSIVE')
  const written = async () => queue.write(() => insert(1, 'x'.repeat(100_000)))
  const refused = expect(written()).rejects.toMatchObject({ reason: 'full', code: 'SQLITE_FULL' })
  if (waits) other.exec('ROLLBACK')
  await refused
  expect(list()).toEqual([])
})

test('the writes that wait when it is closed are refused', async () => {
  other.exec('BEGIN EXCLUSIVE')
  const refused = expect(queue.write(() => insert(1))).rejects.toThrow(UnavailableError)
  queue.close()
  await refused
})

test('the methods of a noun run through the queue', async () => {
  const numbers = { insert: (number: number) => insert(number), list: () => list() }
  const queued = queueCalls(numbers, queue, { insert: 'writes', list: 'reads' })
  other.exec('BEGIN EXCLUSIVE')
  const written = queued.insert(1)
  expect(queued.list()).toEqual([])
  other.exec('ROLLBACK')
  expect(await written).toBe(1)
  expect(queued.list()).toEqual([1])
})
