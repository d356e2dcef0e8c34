// A long file: it fills every table of both stores, and reads all of it again.
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type PageView, toViewBatch } from '../../server/analytics/view-batch.ts'
import { dayMs } from '../../server/base/day-ms.ts'
import { connect, type Database as PostgresDatabase } from '../../server/store/postgres/database.ts'
import { statement } from '../../server/store/postgres/statement.ts'
import { openPostgresStore } from '../../server/store/postgres/store.ts'
import { openStore, type Store } from '../../server/store/store.ts'
import { openPostgresSide } from '../../server/store/transfer/postgres-side.ts'
import { transferToPostgres, transferToSqlite } from '../../server/store/transfer/transfer-stores.ts'
import { parseRhythm } from '../../server/tenancy/site-schedule.ts'
import { createTestDatabase, findPostgres, type TestDatabase } from '../support/postgres/test-database.ts'
import { runQuire } from '../support/process.ts'
import { createRandom } from '../support/random.ts'

const found = await findPostgres()
const skipped = 'missing' in found ? `, skipped: ${found.missing}` : ''
const [never, monthly] = ['prj_1', 'prj_2']
const findIdleLimit = statement<object, { limit: string }>(
  `SELECT current_setting('idle_in_transaction_session_timeout') AS "limit"`,
)

let folder: string
let postgres: TestDatabase
beforeAll(async () => {
  if ('missing' in found) return
  postgres = await createTestDatabase(found.url)
})
afterAll(() => postgres?.drop())
beforeEach(async context => {
  if ('missing' in found) return
  folder = mkdtempSync(join(tmpdir(), 'quire-transfer-'))
  context.onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  await postgres.clear()
  const store = openStore(join(folder, 'data'))
  await fill(store)
  store.close()
})

const options = (name = 'data', progress: string[] = []) => ({
  dataFolder: join(folder, name),
  database: postgres.url,
  onProgress: (text: string) => void progress.push(text),
})
const openPostgres = () => openPostgresStore(postgres.url, undefined, { keyFile: join(folder, 'data/visitor.key') })

describe.skipIf('missing' in found)(`from one store to the other${skipped}`, () => {
  test('there and back, all rows and counts are the same, and new rows follow them', async () => {
    const want = await ask(openStore(join(folder, 'data')), read)
    const there = await transferToPostgres(options())
    expect(there.tables).toMatchObject({ organizations: 1, projects: 2, audit_events: 2, api_keys: 1 })
    expect(there.projects).toMatchObject([{ projectId: never }, { projectId: monthly, tables: { period_keys: 2 } }])
    expect(there.projects[0]?.tables.seen_rows).toBeGreaterThan(100)
    expect(await ask(await openPostgres(), read)).toEqual(want)
    expect(await postgres.run('SELECT DISTINCT node FROM log_positions')).toEqual([{ node: hostname() }])

    await ask(await openPostgres(), async store => {
      await store.auditLog.append(event('later'))
      await store.webhookDeliveries.enqueueTest('wh_1', 12)
      const again = await store.visits.recordBatch(never, toViewBatch(views))
      expect(again.newVisitorDays).toBe(0)
      await store.visits.recordBatch(never, toViewBatch([{ ...(views[0] as PageView), path: '/new' }]))
    })
    const changed = await ask(await openPostgres(), read)
    expect(changed).not.toEqual(want)
    for (const name of ['back', 'without-key']) mkdirSync(join(folder, name))
    await expect(transferToSqlite(options('without-key'))).rejects.toThrow('visitor.key is missing')
    copyFileSync(join(folder, 'data/visitor.key'), join(folder, 'back/visitor.key'))
    const progress: string[] = []
    const back = await transferToSqlite(options('back', progress))
    expect(progress.join()).not.toContain('connected')
    expect(back.tables.audit_events).toBe(3)
    expect(await ask(openStore(join(folder, 'back')), read)).toEqual(changed)
  })

  test('an interrupted call is finished by the next one, and other data is refused', async () => {
    const { onProgress, ...rest } = options()
    const stop = (text: string) => {
      if (text.includes(monthly)) throw new Error('killed')
    }
    await expect(transferToPostgres({ ...rest, onProgress: stop })).rejects.toThrow('killed')
    expect(await postgres.run('SELECT project_id FROM visited_projects')).toEqual([{ project_id: never }])
    await transferToPostgres(options())
    const before = await postgres.run('SELECT xmin::text FROM seen_rows LIMIT 1')
    await transferToPostgres(options())
    expect(await postgres.run('SELECT xmin::text FROM seen_rows LIMIT 1')).toEqual(before)
    await postgres.run("UPDATE seen_rows SET days = '\\x00' WHERE ctid = (SELECT min(ctid) FROM seen_rows)")
    await expect(transferToPostgres(options())).rejects.toThrow(/table seen_rows: there is other data/)
    await postgres.run("UPDATE projects SET name = 'Other'")
    await expect(transferToPostgres(options())).rejects.toThrow(/table projects: there is other data/)
  })

  test('back, programs that are still connected are named', async context => {
    const { projects } = await transferToPostgres(options())
    const running = await openPostgres()
    context.onTestFinished(() => running.close())
    mkdirSync(join(folder, 'back'))
    copyFileSync(join(folder, 'data/visitor.key'), join(folder, 'back/visitor.key'))
    const progress: string[] = []
    const back = await transferToSqlite(options('back', progress))
    expect(back.projects).toEqual(projects)
    expect(progress[0]).toMatch(/^Other programs of Quire are connected to the database, from [^ ]+( machine)?\. /)
  })

  test('a project with destroyed keys is copied, also again and back', async () => {
    const project = { id: monthly, visitorSaltRotation: 'month' } as const
    const late = { now: Date.now() + 50 * dayMs, graceDays: 1 }
    const destroyed = await ask(openStore(join(folder, 'data')), async store => store.visits.destroyKeys(project, late))
    expect(destroyed.keys).toBeGreaterThan(0)
    const done = await transferToPostgres(options())
    expect(await transferToPostgres(options())).toEqual(done)
    expect(await transferToSqlite(options())).toEqual(done)
  })

  test('a deletion of visitors that was interrupted must be finished before', async () => {
    await transferToPostgres(options())
    await postgres.run('UPDATE visited_projects SET kept_from = 20720')
    await expect(transferToSqlite(options())).rejects.toThrow(`A deletion of visitors of ${never} was interrupted`)
  })

  test('its transactions may be idle for as long as the other store is read', async context => {
    await ask(await openPostgres(), fill)
    const database = connect(postgres.url)
    context.onTestFinished(() => database.close())
    const limits: unknown[] = []
    const side = openPostgresSide(noteIdleLimits(database, limits), 'the database', 'node')
    await side.withNouns(async () => {})
    await side.withVisits(never, async () => {})
    expect(limits).toEqual([{ limit: '0' }, { limit: '0' }])
  })

  test('the command says what it copied', async () => {
    const flags = ['--data', join(folder, 'data'), '--database', postgres.url]
    const { code, stdout, stderr } = await runQuire(['migrate', 'sqlite-to-postgres', ...flags])
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining(`Copying the visits of ${never}, 1 of 2`),
    })
    expect(stdout).toMatch(/organizations +1\n/)
    expect(stdout).toMatch(/\nAll tables are equal, and the visits of 2 projects\.\n$/)
    const missing = await runQuire(['migrate', 'postgres-to-sqlite', '--data', join(folder, 'x')])
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('--database is missing') })
  })
})

describe.skipIf('missing' in found)(`what a transfer is told${skipped}`, () => {
  test('a visitor key that is not in the data folder is read from its file, and put into a new folder', async () => {
    const moved = join(folder, 'moved.key')
    renameSync(join(folder, 'data/visitor.key'), moved)
    const key = readFileSync(moved)
    const keyFile = join(folder, 'shared.key')
    writeFileSync(keyFile, `${key.toString('hex')}\n`)
    const other = join(folder, 'other.key')
    writeFileSync(other, 'b'.repeat(64))
    const migrate = (direction: string, name: string, file: string) => {
      const flags = ['--data', join(folder, name), '--database', postgres.url, '--visitor-key-file', file]
      return runQuire(['migrate', direction, ...flags])
    }
    await expect(transferToPostgres(options())).rejects.toThrow('visitor.key is missing')
    expect((await migrate('sqlite-to-postgres', 'data', keyFile)).code).toBe(0)
    expect((await migrate('sqlite-to-postgres', 'data', moved)).code).toBe(0)
    const refused = await migrate('postgres-to-sqlite', 'wrong', other)
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('is another key than the one') })
    expect((await migrate('postgres-to-sqlite', 'back', keyFile)).code).toBe(0)
    expect(readFileSync(join(folder, 'back/visitor.key'))).toEqual(key)

    writeFileSync(join(folder, 'data/visitor.key'), Buffer.alloc(32, 7))
    await expect(transferToPostgres({ ...options(), visitorKeyFile: keyFile })).rejects.toThrow(
      `--visitor-key-file ${keyFile} is another key than`,
    )
  })

  test('positions are copied under the name of the machine that will follow the logs', async () => {
    await transferToPostgres({ ...options(), node: 'proxy-1' })
    expect(await postgres.run('SELECT DISTINCT node FROM log_positions')).toEqual([{ node: 'proxy-1' }])
    const findPosition = (store: Store) => store.visits.findLogPosition(never, '/var/log/access.log')
    for (const [node, want] of [
      ['proxy-1', 'here'],
      ['proxy-2', undefined],
    ] as const) {
      mkdirSync(join(folder, node))
      copyFileSync(join(folder, 'data/visitor.key'), join(folder, node, 'visitor.key'))
      await transferToSqlite({ ...options(node), node })
      expect(await ask(openStore(join(folder, node)), async store => findPosition(store))).toBe(want)
    }
  })
})

/** Adds the limit of each transaction at its end. */
function noteIdleLimits(database: PostgresDatabase, limits: unknown[]): PostgresDatabase {
  return {
    ...database,
    atomically: work =>
      database.atomically(async within => {
        const result = await work(within)
        limits.push(await within.get(findIdleLimit, {}))
        return result
      }),
  }
}

const random = createRandom('transfer')
const views = Array.from({ length: 3000 }, (_, i): PageView => {
  const kind = i % 9 === 0 ? 'label' : i % 4 === 0 ? 'ai' : 'human'
  return {
    visitor: Buffer.alloc(16, Math.floor(random() * 200)),
    path: kind === 'label' ? 'agent:GPTBot' : `/${Math.floor(random() * 50)}`,
    day: 20_700 + Math.floor(random() * 90),
    kind,
  }
})

const event = (subject: string) => ({
  at: 1000,
  organizationId: 'org_1',
  action: 'site.created' as const,
  subject,
  detail: null,
  actor: 'command',
  address: '',
})

async function fill(store: Store): Promise<void> {
  await store.organizations.insert({ id: 'org_1', name: 'Acme', plan: 'enterprise', createdAt: 5 })
  for (const [id, visitorSaltRotation] of [
    [never, 'never'],
    [monthly, 'month'],
  ] as const) {
    await store.projects.insert({
      id,
      organizationId: 'org_1',
      name: id,
      visitorSaltRotation,
      visitorRules: never === id ? 1 : 2,
      createdAt: 6,
    })
  }
  await store.sites.insert({ domain: 'docs.example.com', projectId: never, origin: null, createdAt: 7 } as never)
  await store.sites.updateLogin('docs.example.com', { sealed: Buffer.from([0, 255, 7]), at: 8 })
  const rhythm = parseRhythm('weekly mon@03:00')
  await store.siteSchedules.put('docs.example.com', { rhythm, onlyIfChanged: true }, 9)
  const started = { jobId: 'se_1', fingerprint: 'abc' }
  await store.siteSchedules.record('docs.example.com', { kind: 'started', at: 10, problem: null }, started)
  await store.apiKeys.insert(
    {
      id: 'key_1',
      organizationId: 'org_1',
      name: 'CI',
      last4: 'abcd',
      scopes: ['ingest'],
      projectIds: ['prj_a'],
      allowedAddresses: ['203.0.113.0/24', '2001:db8::/32'],
      createdAt: 8,
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
    } as never,
    Buffer.alloc(32, 9) as never,
  )
  await store.auditLog.append(event('first'))
  await store.auditLog.append(event('second'))
  const webhook = { id: 'wh_1', organizationId: 'org_1', url: 'https://hooks.example.com/', createdAt: 9 }
  await store.webhooks.insert({ ...webhook, events: ['export.failed'] }, Buffer.from('sealed'))
  for (const at of [10, 11]) await store.webhookDeliveries.enqueueTest('wh_1', at)
  const keys = await store.visits.openVisitorKeys(() => 0)
  await store.visits.recordBatch(never, toViewBatch(views), { log: '/var/log/access.log', position: 'here' })
  await store.visits.pruneSeen(never, 20_710)
  for (const day of [20_700, 20_740]) keys.find({ id: monthly, visitorSaltRotation: 'month' }, day)
  await store.visits.recordBatch(monthly, toViewBatch(views))
}

/** Reads some of everything. */
async function read(store: Store): Promise<unknown> {
  const visits = []
  for (const id of [never, monthly]) {
    for (const range of [{}, { dateFrom: 20_720, dateTo: 20_760 }]) {
      visits.push(await store.visits.countUniqueVisitors(id, range, { limit: 250, offset: 0 }))
      visits.push([...(await store.visits.countLabels(id, range))])
    }
    visits.push(await store.visits.findVisitedDays(id))
  }
  const keys = await store.visits.openVisitorKeys(() => 0)
  return {
    visits,
    position: await store.visits.findLogPosition(never, '/var/log/access.log'),
    key: Buffer.from(keys.find({ id: monthly, visitorSaltRotation: 'month' }, 20_701) ?? []).toString('hex'),
    projects: await store.projects.list(),
    sites: await store.sites.list(),
    login: await store.sites.findLogin('docs.example.com'),
    schedule: await store.siteSchedules.find('docs.example.com'),
    apiKeys: await store.apiKeys.list('org_1'),
    webhooks: await store.webhooks.list(),
    deliveries: await store.webhookDeliveries.list('wh_1', { limit: 9 }),
  }
}

async function ask<S extends Store, T>(store: S, question: (store: S) => Promise<T>): Promise<T> {
  try {
    return await question(store)
  } finally {
    await store.close()
  }
}
