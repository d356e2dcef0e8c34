import { createHash } from 'node:crypto'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import Database from 'better-sqlite3'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { toDay } from '../../server/analytics/day.ts'
import { toViewBatch } from '../../server/analytics/view-batch.ts'
import { lostCommand } from '../../server/commands/lost.ts'
import { startServer } from '../../server/server.ts'
import type { RunningServer } from '../../server/serving/running-server.ts'
import { openSiteCaches } from '../../server/store/site-cache/site-caches.ts'
import { openStore } from '../../server/store/store.ts'
import { send } from '../support/client.ts'
import { addCompletedJob, type CompletedJob } from '../support/completed-job.ts'
import { makeNewer } from '../support/newer-database.ts'
import { createApiKey, createConfig, createOrganization } from '../support/server.ts'

// A database that is lost, emptied, damaged, restored from an older backup, or of a newer version: nothing beside it is
// deleted.

let folder: string
let data: string
let key: string
let organizationId: string
const jobs: CompletedJob[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-lost-database-'))
  data = join(folder, 'data')
  jobs.length = 0
  await addOrganization()
  await addJob()
  // Writes the keys.
  await serveOnce()
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** Adds an organization with a site that has a cache, visits and a key. */
async function addOrganization(domain = 'docs.example.com'): Promise<void> {
  const store = openStore(data)
  const organization = await createOrganization(store)
  organizationId = organization.organizationId
  key = (await createApiKey(store, organizationId)).key
  await store.sites.insert({ domain, projectId: organization.projectId, origin: null, createdAt: Date.now() })
  const view = { visitor: Buffer.alloc(16, 1), path: '/', day: toDay(Date.now()), kind: 'human' } as const
  await store.visits.recordBatch(organization.projectId, toViewBatch([view]))
  store.close()
  const caches = openSiteCaches({ folder: join(data, 'sites'), maxBytes: 1e6, sharesArchives: true, warn() {} })
  const cache = await caches.open(domain)
  const text = `a page of ${domain}`
  await cache?.keepBody(Buffer.from(text), { sha256: digest(text), sizeBytes: text.length })
  await cache?.close()
}

async function addJob(nameOf?: (jobId: string) => string): Promise<void> {
  const store = openStore(data)
  jobs.push(await addCompletedJob(store, data, organizationId, nameOf))
  store.close()
}

const digest = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')

/** The user data beside the main database: the bytes of each file, by its digest. */
async function readUserData(): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const entry of await readdir(data, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    // SQLite rewrites the files beside a database when it opens it.
    if (!entry.isFile() || entry.name.startsWith('quire.db') || /-(wal|shm)$/.test(entry.name)) continue
    found.set(digest(await readFile(path)), relative(data, path))
  }
  return found
}

/** Returns the names of files whose bytes are nowhere in the data folder now. */
async function listLost(before: Map<string, string>): Promise<string[]> {
  const now = await readUserData()
  return [...before].filter(([sha256]) => !now.has(sha256)).map(([, name]) => name)
}

function serve(log: string[] = []): Promise<RunningServer> {
  return startServer(createConfig({ data }), pino({}, { write: line => log.push(line) }))
}

/** Starts a server, waits for the work of its start, and stops it. Returns its log. */
async function serveOnce(): Promise<string> {
  const log: string[] = []
  await (await serve(log)).close()
  return log.join('')
}

const database = () => join(data, 'quire.db')

async function removeWal(): Promise<void> {
  for (const suffix of ['-wal', '-shm']) await rm(database() + suffix, { force: true })
}

test.each<[string, string, () => Promise<void>]>([
  ['missing', 'it is missing', () => rm(database())],
  ['of 0 bytes', 'it is empty', () => truncate(database(), 0)],
  [
    'without tables',
    'it is empty',
    async () => {
      await rm(database())
      const empty = new Database(database())
      empty.exec('CREATE TABLE a (b); DROP TABLE a')
      empty.close()
      expect((await stat(database())).size).toBeGreaterThan(0)
    },
  ],
])('a database that is %s is not replaced by a new one among other data', async (_, why, spoil) => {
  await removeWal()
  await spoil()
  const before = await readUserData()
  expect([...before.values()].map(name => name.split('/')[0]).sort()).toEqual(
    expect.arrayContaining(['bundles', 'link.key', 'sites', 'visits']),
  )
  const message = `Cannot use ${database()}: ${why}, but the data folder holds bundles/ (1 entry), sites/ (1 entry), visits/ (1 entry) and link.key. Restore quire.db from a backup, or name another folder with --data.`
  for (const open of [serve, async () => openStore(data)])
    await expect(open()).rejects.toThrow(expect.objectContaining({ message, exitCode: 1 }))
  expect(await listLost(before)).toEqual([])
})

test.each<[string, RegExp, () => Promise<void>]>([
  [
    'damaged',
    /damaged|not a SQLite database/,
    async () => {
      const bytes = await readFile(database())
      await writeFile(database(), bytes.fill(0xa5, 100, 4096))
    },
  ],
  ['not a database', /not a SQLite database/, () => writeFile(database(), 'x'.repeat(10_000))],
  ['of a newer version', /newer Quire.*Upgrade/, async () => makeNewer(database())],
])('nothing is deleted beside a database that is %s', async (_, message, spoil) => {
  await removeWal()
  await spoil()
  const before = await readUserData()
  await expect(serve()).rejects.toThrow(message)
  expect(await listLost(before)).toEqual([])
})

test('nothing is deleted when pages of the database with the jobs are damaged', async () => {
  await removeWal()
  const bytes = await readFile(database())
  // The first page has the schema, which stays readable.
  await writeFile(database(), bytes.fill(0xa5, 4096))
  const before = await readUserData()
  await serveOnce().catch(() => '')
  expect(await listLost(before)).toEqual([])
})

test.each([
  ['an earlier version', (jobId: string) => `${jobId}.zip`],
  ['this version', (jobId: string) => `${jobId}-1.zip`],
])(
  'what an older database does not know is lost, and comes back with the newer database: bundles of %s',
  async (_, nameOf) => {
    const older = join(folder, 'older.db')
    await removeWal()
    await copyFile(database(), older)
    await addOrganization('new.example.com')
    await addJob(nameOf)
    await mkdir(join(data, 'work', `${jobs[1]?.jobId}-1`), { recursive: true })
    await writeFile(join(data, 'work', `${jobs[1]?.jobId}-1`, 'page.html'), 'a page that was fetched')
    await removeWal()
    const newer = join(folder, 'newer.db')
    await rename(database(), newer)
    await copyFile(older, database())
    const before = await readUserData()
    const name = basename(jobs[1]?.file ?? '')

    const log = await serveOnce()
    expect(await listLost(before)).toEqual([])
    expect(await readdir(join(data, 'bundles'))).toEqual([basename(jobs[0]?.file ?? '')])
    expect((await readdir(join(data, 'lost'))).sort()).toEqual(
      [expect.stringMatching(/^new\.example\.com-[0-9a-f]{8}$/), `${jobs[1]?.jobId}-1`, name].sort(),
    )
    expect(log).toMatch(/"level":40,.*"names":\[[^\]]*se_[^\]]*\].*quire lost list/)

    await removeWal()
    await copyFile(newer, database())
    const server = await serve()
    const headers = { Authorization: `Bearer ${key}` }
    const link = await send(server.url, `/v1/static-export/jobs/${jobs[1]?.jobId}/bundle`, { method: 'POST', headers })
    const bundle = await send(server.url, String(link.json.bundleUrl).slice(server.url.length))
    await server.close()
    expect(bundle).toMatchObject({ status: 200, text: jobs[1]?.content })
    expect((await readdir(join(data, 'sites'))).filter(each => each.startsWith('new.'))).toHaveLength(1)
    expect(await listLost(before)).toEqual([])
  },
)

test('a database of an older version is migrated, and its bundles stay', async () => {
  await removeWal()
  await rm(database())
  const old = new Database(database())
  const migrations = join(import.meta.dirname, '../../server/store/migrations')
  const names = (await readdir(migrations)).sort()
  for (const name of names.slice(0, 6)) old.exec(await readFile(join(migrations, name), 'utf8'))
  old.pragma('user_version = 6')
  const content = jobs[0]?.content ?? ''
  const jobId = 'se_0123456789abcdef'
  old.exec(`INSERT INTO organizations VALUES ('org_1', 'Acme', 'enterprise', 0);
    INSERT INTO export_jobs (job_id, organization_id, domain, request, status, created_at, updated_at, bundle_file,
      bundle_size_bytes, bundle_sha256)
    VALUES ('${jobId}', 'org_1', 'docs.example.com', '{"domain":"docs.example.com","format":"zip"}', 'completed', 0, 0,
      '${jobId}.zip', ${content.length}, '${digest(content)}')`)
  old.close()
  // The name that earlier versions gave to bundles.
  await rename(jobs[0]?.file ?? '', join(data, 'bundles', `${jobId}.zip`))
  const before = await readUserData()
  await serveOnce()
  expect(await listLost(before)).toEqual([])
  expect(await readdir(join(data, 'bundles'))).toEqual([`${jobId}.zip`])
  const migrated = new Database(database())
  expect(migrated.pragma('user_version', { simple: true })).toBe(names.length)
  migrated.close()
})

test('only the command deletes what is lost: 24 hours later, and if a second look finds that it is still unknown', async () => {
  await removeWal()
  const newer = join(folder, 'newer.db')
  await copyFile(database(), newer)
  const empty = join(folder, 'empty')
  openStore(empty).close()
  await copyFile(join(empty, 'quire.db'), database())
  await serveOnce()
  const lost = () => readdir(join(data, 'lost'))
  const bundle = basename(jobs[0]?.file ?? '')
  expect(await lost()).toContain(bundle)
  await writeFile(join(data, 'lost', 'notes.txt'), 'of the operator')

  const quire = async (hours: number, ...args: string[]) => {
    const printed = vi.spyOn(console, 'log').mockImplementation(() => {})
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + hours * 3_600_000)
    try {
      await lostCommand().parseAsync([...args, '--data', data], { from: 'user' })
      return printed.mock.calls.join('\n')
    } finally {
      printed.mockRestore()
      clock.mockRestore()
    }
  }
  expect(JSON.parse(await quire(0, 'list', '--json'))).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: bundle, kind: 'bundle', sizeBytes: jobs[0]?.content.length, deletable: false }),
    ]),
  )
  expect(await quire(23, 'delete')).toMatch(/^Deleted: 0 \(0 bytes\)\. Kept: 3\.\n/)
  expect(await lost()).toHaveLength(3)

  const other = join(folder, 'other.db')
  await removeWal()
  await rename(database(), other)
  // Without a database, nothing is unknown.
  await expect(quire(25, 'delete')).rejects.toThrow('it is missing, but the data folder holds lost/ (3 entries)')
  expect(await lost()).toHaveLength(3)
  await copyFile(newer, database())
  expect(JSON.parse(await quire(25, 'delete', '--json'))).toMatchObject({ deleted: [] })
  expect(await lost()).toHaveLength(3)

  await removeWal()
  await copyFile(other, database())
  expect(await quire(25, 'list')).toContain(bundle)
  // The clock was 23 hours ahead at once, so it is not trusted for a day.
  const doubted = JSON.parse(await quire(25, 'delete', '--json'))
  expect(doubted).toMatchObject({ deleted: [], kept: expect.arrayContaining([{ name: bundle, reason: 'clock' }]) })
  await quire(44, 'delete')
  expect(await lost()).toHaveLength(3)
  expect(JSON.parse(await quire(48, 'delete', '--json'))).toEqual({
    deleted: expect.arrayContaining([bundle]),
    sizeBytes: expect.any(Number),
    kept: [{ name: 'notes.txt', reason: 'foreign' }],
  })
  expect(await lost()).toEqual(['notes.txt'])
  await serveOnce()
  expect(await lost()).toEqual(['notes.txt'])
})
