import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, type TestContext, test, vi } from 'vitest'
import { toDay } from '../../../server/analytics/day.ts'
import type { RecordedViews } from '../../../server/analytics/unique-visitors.ts'
import { type PageView, toViewBatch } from '../../../server/analytics/view-batch.ts'
import { toKeyPeriod } from '../../../server/analytics/visitor-keys.ts'
import { alone } from '../../../server/base/exclusively.ts'
import { type ConnectedDatabase, connect, type Database } from '../../../server/store/postgres/database.ts'
import { openPostgresStore, type PostgresStore } from '../../../server/store/postgres/store.ts'
import { destroyPeriodKeys, takePeriodKey } from '../../../server/store/postgres/visits/period-keys.ts'
import { pruneVisits } from '../../../server/store/postgres/visits/prune-visits.ts'
import { changeVisits } from '../../../server/store/postgres/visits/visited-projects.ts'
import { startVisitorRetention } from '../../../server/workers/prune-visitors.ts'
import { createTestDatabase, findPostgres, type TestDatabase } from '../../support/postgres/test-database.ts'
import { createRandom } from '../../support/random.ts'
import { countNaively } from '../count-naively.ts'

const found = await findPostgres()
const skipped = 'missing' in found ? `, skipped: ${found.missing}` : ''
const project = { id: 'prj_1', visitorSaltRotation: 'month', visitorRules: 2 } as const
const everything = { limit: 250, offset: 0 }

const isMissing = 'missing' in found

interface Used {
  postgres: TestDatabase
  folder: string
  store: PostgresStore
  database: ConnectedDatabase
}

/** Opens a database for the tests of a block, and an empty store for each of them. */
function useStore(): Used {
  const used = {} as Used
  beforeAll(async () => {
    used.postgres = await createTestDatabase((found as { url: string }).url)
    used.folder = mkdtempSync(join(tmpdir(), 'quire-shared-visits-'))
  })
  afterAll(async () => {
    await used.postgres?.drop()
    rmSync(used.folder, { recursive: true, force: true })
  })
  beforeEach(async () => {
    await used.postgres.clear()
    const options = { keyFile: join(used.folder, 'visitor.key'), node: 'one' }
    used.store = await openPostgresStore(used.postgres.url, undefined, options)
    used.database = connect(used.postgres.url)
    await used.store.organizations.insert({ id: 'org_1', name: 'Acme', plan: 'standard', createdAt: 0 })
    await used.store.projects.insert({ ...project, organizationId: 'org_1', name: '', createdAt: 0 })
  })
  afterEach(async () => {
    await used.store.close()
    await used.database.close()
  })
  return used
}

describe.skipIf(isMissing)(`visits that several nodes change${skipped}`, () => {
  const used = useStore()

  test('batches at the same time, with the same visitors and pages, count once', async () => {
    const options = { keyFile: join(used.folder, 'visitor.key'), node: 'other' }
    const other = await openPostgresStore(used.postgres.url, undefined, options)
    try {
      const views = makeViews(6000)
      const recorded: Promise<RecordedViews>[] = []
      for (let at = 0; at < views.length; at += 500) {
        const batch = toViewBatch(views.slice(at, at + 500))
        for (const { visits } of [used.store, other]) {
          recorded.push(visits.recordBatch(project.id, batch, { log: 'access.log', position: String(at) }))
        }
      }
      const days = (await Promise.all(recorded)).reduce((sum, { newVisitorDays }) => sum + newVisitorDays, 0)
      expect(days).toBe(new Set(views.map(({ visitor, day }) => `${visitor[0]} ${day}`)).size)
      for (const { visits } of [used.store, other]) {
        expect(await visits.countUniqueVisitors(project.id, {}, everything)).toEqual(countNaively(views, {}))
      }
      const rows = await used.postgres.run('SELECT DISTINCT node FROM log_positions ORDER BY node')
      expect(rows).toEqual([{ node: 'one' }, { node: 'other' }])
    } finally {
      await other.close()
    }
  })

  test('a new period gets its key while another log of the thread is in a transaction', async () => {
    const keys = await used.store.visits.openVisitorKeys(() => 0)
    // `find` blocks the thread, so the transaction around it cannot end before.
    const findWithin = (day: number) => changeVisits(used.database, project.id, async () => keys.find(project, day))
    const first = await findWithin(20_700)
    expect(first).toHaveLength(32)
    expect(await findWithin(20_740)).not.toEqual(first)
    expect(keys.find(project, 20_701)).toEqual(first)
  })

  test('a deleted project keeps no key that was being created', async () => {
    const period = toKeyPeriod(20_700, 'month')
    let deleting: unknown
    await used.store.visits.recordBatch(project.id, toViewBatch(makeViews(10)))
    await used.database.atomically(async within => {
      await takePeriodKey(within, project.id, period, 0)
      deleting = used.store.visits.deleteFile(project.id)
      await vi.waitFor(async () => {
        const waiting = await used.postgres.run(
          "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        )
        expect(waiting).toHaveLength(1)
      }, 20_000)
    })
    await deleting
    expect(await used.postgres.run('SELECT period FROM period_keys')).toEqual([])
  })
})

describe.skipIf(isMissing)(`deletions of visits on PostgreSQL${skipped}`, () => {
  const used = useStore()

  test('a deletion of old visitors that is killed changes no count, and the next one finishes it', async () => {
    const views = makeViews(4000)
    const [before, after] = [views.slice(0, 3000), views.slice(3000)]
    await used.store.visits.recordBatch(project.id, toViewBatch(before))
    const keptFrom = 20_730
    await expect(pruneVisits(killAfter(used.database, 1), project.id, keptFrom)).rejects.toThrow('killed')
    expect(await used.postgres.run('SELECT kept_from, deleted_before FROM visited_projects')).toEqual([
      { kept_from: keptFrom, deleted_before: 0 },
    ])
    // The rows of old days are still there, and the counters no longer know of them.
    await used.store.visits.recordBatch(project.id, toViewBatch(after))
    const counted = [...before, ...after.filter(({ day }) => day >= keptFrom)]
    for (const range of [
      { dateFrom: keptFrom },
      { dateFrom: keptFrom + 5, dateTo: keptFrom + 20 },
      { dateTo: keptFrom },
    ]) {
      const got = await used.store.visits.countUniqueVisitors(project.id, range, everything)
      expect(got).toEqual(countNaively(counted, range))
    }
    // Also a call for an earlier day continues the deletion.
    expect(await pruneVisits(killAfter(used.database, 1), project.id, keptFrom - 1).catch(error => error.message)).toBe(
      'killed',
    )
    await used.store.visits.pruneSeen(project.id, keptFrom)
    expect(await used.postgres.run('SELECT min(from_day) AS first FROM seen_rows')).toEqual([{ first: keptFrom }])
    expect(await used.store.visits.pruneSeen(project.id, keptFrom)).toBe(0)
  })

  test('a server deletes old visitors of the database in a thread', async () => {
    const today = toDay(Date.now())
    const seen = [today - 30, today - 9].map(day => ({ ...(makeViews(1)[0] as PageView), day }))
    await used.store.visits.recordBatch(project.id, toViewBatch(seen))
    const log = { info: vi.fn(), error: vi.fn() }
    const retention = startVisitorRetention({
      dataFolder: used.folder,
      database: used.postgres.url,
      projects: used.store.projects,
      retentionDays: 10,
      keyGraceDays: 7,
      exclusively: alone,
      clock: { isTrusted: async () => true },
      log,
    })
    await vi.waitFor(() => expect(log.info).toHaveBeenCalled(), 20_000)
    await retention.stop()
    expect(log.info.mock.calls).toMatchObject([[{ projectId: project.id, visitorDays: 1 }, 'deleted old visitors']])
    expect(log.error).not.toHaveBeenCalled()
    expect(await used.postgres.run('SELECT from_day FROM seen_rows')).toEqual([{ from_day: today - 9 }])
  })

  test('a destruction of keys that is killed is finished by the next one', async () => {
    const keys = await used.store.visits.openVisitorKeys(() => 0)
    expect(keys.find(project, 20_700)).toBeDefined()
    await used.store.visits.recordBatch(project.id, toViewBatch(makeViews(300)))
    const options = { now: 20_800 * 86_400_000, graceDays: 1 }
    await expect(destroyPeriodKeys(killAfter(used.database, 1), project.id, 'month', options)).rejects.toThrow('killed')
    expect(await used.postgres.run('SELECT key, is_cleared FROM period_keys')).toEqual([
      { key: null, is_cleared: false },
    ])
    const { keys: destroyed, visitorDays } = await used.store.visits.destroyKeys(project, options)
    expect(destroyed).toBe(0)
    expect(visitorDays).toBeGreaterThan(10)
    expect(await used.postgres.run('SELECT key, is_cleared FROM period_keys')).toEqual([
      { key: null, is_cleared: true },
    ])
  })

  test('keys are destroyed also while others use their table, which is written again by the next call', async context => {
    const keys = await used.store.visits.openVisitorKeys(() => 0)
    expect(keys.find(project, 20_700)).toBeDefined()
    await used.store.visits.recordBatch(project.id, toViewBatch(makeViews(300)))
    // The first row of a table that has no old versions is at (0,1).
    const findPlace = () => used.postgres.run('SELECT ctid::text AS place, is_cleared, key FROM period_keys')
    const options = { now: 20_800 * 86_400_000, graceDays: 1 }
    const [writer, reader] = [await open(context, used.postgres.url), await open(context, used.postgres.url)]
    await writer.query('BEGIN; SELECT pg_current_xact_id()')
    await reader.query('BEGIN; SELECT FROM period_keys')
    const { keys: destroyed, visitorDays } = await used.store.visits.destroyKeys(project, options)
    expect([destroyed, visitorDays > 10]).toEqual([1, true])
    expect(await findPlace()).toEqual([{ place: '(0,2)', is_cleared: false, key: null }])
    await reader.query('COMMIT')
    expect(await used.store.visits.destroyKeys(project, options)).toEqual({ keys: 0, visitorDays: 0 })
    expect(await findPlace()).toEqual([{ place: '(0,1)', is_cleared: true, key: null }])
  })
})

/** Opens a connection of another program. */
async function open({ onTestFinished }: TestContext, url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

const random = createRandom('shared visits')

function makeViews(count: number): PageView[] {
  return Array.from({ length: count }, () => ({
    visitor: Buffer.alloc(16, Math.floor(random() * 90)),
    path: `/${Math.floor(random() * 60)}`,
    day: 20_700 + Math.floor(random() * 70),
    kind: random() < 0.3 ? 'ai' : 'human',
  }))
}

/** Fails like a process that is killed after some transactions. */
function killAfter(database: Database, transactions: number): Database {
  let left = transactions
  return {
    ...database,
    atomically(work) {
      if (left === 0) return Promise.reject(new Error('killed'))
      left -= 1
      return database.atomically(work)
    },
  }
}
