import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../server/store/database.ts'
import { openOrganizations } from '../../server/store/organizations.ts'
import { openRateLimits } from '../../server/store/rate-limits.ts'
import { type MemoryRateLimits, spendInMemory } from '../../server/store/spend-in-memory.ts'
import { createWriteQueue, type WriteQueue } from '../../server/store/write-queue.ts'
import { countUsedRequests, takeRequest } from '../../server/tenancy/rate-limit.ts'
import { waitFor } from '../support/export-site.ts'

const budget = { budget: 'analytics', quota: 100, windowSeconds: 3600 }
const now = Date.UTC(2026, 10, 20)

let folder: string
let database: Database
let other: Database
let queue: WriteQueue
let limits: MemoryRateLimits
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-spend-'))
  const file = join(folder, 'quire.db')
  database = openDatabase(file)
  for (const id of ['org_1', 'org_2']) {
    openOrganizations(database).insert({ id, name: 'Acme', plan: 'standard', createdAt: now })
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

const take = async (organizationId = 'org_1') => (await takeRequest(limits, organizationId, budget, now)).allowed
/** How many requests of an organization the database knows. */
const stored = (organizationId = 'org_1') => {
  const arrival = openRateLimits(other).find(organizationId, 'analytics')
  return arrival === undefined ? 0 : (arrival.arrivalAt - now) / 36_000
}

test('while the database is locked, requests are allowed up to the limit, and are written when the lock ends', async () => {
  expect(await take()).toBe(true)
  other.exec('BEGIN EXCLUSIVE')
  for (let i = 0; i < 99; i++) expect(await take()).toBe(true)
  expect(await take()).toBe(false)
  expect(await take('org_2')).toBe(true)
  expect(stored()).toBe(1)
  expect(await countUsedRequests(limits, 'org_1', budget, now)).toBe(100)
  other.exec('ROLLBACK')
  await waitFor(async () => (stored() === 100 && stored('org_2') === 1 ? true : undefined))
  expect(await take()).toBe(false)
  expect(await take('org_2')).toBe(true)
  expect(stored('org_2')).toBe(2)
})

test('requests that another process counted meanwhile stay counted', async () => {
  other.exec('BEGIN EXCLUSIVE')
  expect(await take()).toBe(true)
  openRateLimits(other).replace('org_1', 'analytics', () => ({ arrivalAt: now + 50 * 36_000, storedAt: now }))
  other.exec('COMMIT')
  await waitFor(async () => (stored() === 51 ? true : undefined))
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
