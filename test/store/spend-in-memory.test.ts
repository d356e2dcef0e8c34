import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../server/store/database.ts'
import { bindToSqlite } from '../../server/store/noun.ts'
import { type Nouns, nouns } from '../../server/store/nouns.ts'
import { openRateLimits } from '../../server/store/rate-limits.ts'
import { type MemoryRateLimits, spendInMemory } from '../../server/store/spend-in-memory.ts'
import { createWriteQueue, type WriteQueue } from '../../server/store/write-queue.ts'
import { takeRequest } from '../../server/tenancy/rate-limit.ts'
import { waitFor } from '../support/export-site.ts'

const budget = { budget: 'analytics', quota: 100, windowSeconds: 3600 }
const now = Date.UTC(2026, 10, 20)

let folder: string
let database: Database
let other: Database
let queue: WriteQueue
let limits: MemoryRateLimits
beforeEach(() => {
  clock = now
  folder = mkdtempSync(join(tmpdir(), 'quire-spend-'))
  const file = join(folder, 'quire.db')
  database = openDatabase(file)
  for (const id of ['org_1', 'org_2']) {
    bindToSqlite<Nouns>(database, nouns, work => work()).nouns.organizations.insert({
      id,
      name: 'Acme',
      plan: 'standard',
      createdAt: now,
    })
  }
  database.pragma('busy_timeout = 0')
  other = openDatabase(file)
  queue = createWriteQueue()
  limits = spendInMemory(openRateLimits(database), queue)
})
afterEach(() => {
  queue.close()
  if (database.open) limits.close()
  other.close()
  database.close()
  rmSync(folder, { recursive: true, force: true })
})

let clock = now
const take = async (organizationId = 'org_1') =>
  (await takeRequest(limits, organizationId, budget, () => clock)).allowed
/** How many requests of an organization the database knows. */
const stored = (organizationId = 'org_1') => openRateLimits(other).find(organizationId, 'analytics').length

test('while the database is locked, requests are allowed up to the limit, and are written when the lock ends', async () => {
  expect(await take()).toBe(true)
  other.exec('BEGIN EXCLUSIVE')
  for (let i = 0; i < 99; i++) expect(await take()).toBe(true)
  expect(await take()).toBe(false)
  expect(await take('org_2')).toBe(true)
  expect(stored()).toBe(1)
  expect(await limits.findUsage('org_1', budget, now)).toMatchObject({ used: 100 })
  other.exec('ROLLBACK')
  await waitFor(async () => (stored() === 100 && stored('org_2') === 1 ? true : undefined))
  expect(await take()).toBe(false)
  expect(await take('org_2')).toBe(true)
  expect(stored('org_2')).toBe(2)
})

test('requests that another process counted meanwhile stay counted', async () => {
  other.exec('BEGIN EXCLUSIVE')
  expect(await take()).toBe(true)
  // It counted them up to the end of the lock, so they are newer than those in memory.
  const next = Array.from({ length: 50 }, (_, i) => now + i)
  openRateLimits(other).replace('org_1', 'analytics', () => ({ next }))
  clock = now + 50
  other.exec('COMMIT')
  await waitFor(async () => (stored() === 51 ? true : undefined))
  expect(openRateLimits(other).find('org_1', 'analytics')).toEqual([now, ...next])
})

test('what was counted in memory is written when the store is closed', async () => {
  other.exec('BEGIN EXCLUSIVE')
  for (let i = 0; i < 5; i++) await take()
  other.exec('ROLLBACK')
  queue.close()
  limits.close()
  expect(stored()).toBe(5)
})

test('a deleted organization does not keep the others from being written', async () => {
  other.exec('BEGIN EXCLUSIVE')
  await take('org_1')
  await take('org_2')
  other.exec("DELETE FROM rate_limits; DELETE FROM organizations WHERE id = 'org_1'")
  other.exec('COMMIT')
  await waitFor(async () => (stored('org_2') === 1 ? true : undefined))
})

test('a clock that is set back while the database is locked gives no request back', async () => {
  for (let i = 0; i < 60; i++) await take()
  other.exec('BEGIN EXCLUSIVE')
  clock = now - 86_400_000
  for (let i = 0; i < 40; i++) expect(await take()).toBe(true)
  expect(await take()).toBe(false)
  clock += 1000
  other.exec('ROLLBACK')
  await waitFor(async () => (stored() === 100 ? true : undefined))
  clock += 3_598_000
  expect(await take()).toBe(false)
  clock += 2000
  expect(await take()).toBe(true)
})
