import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { toDay } from '../../server/analytics/day.ts'
import { toViewBatch } from '../../server/analytics/view-batch.ts'
import { orgsCommand } from '../../server/commands/orgs.ts'
import { startServer } from '../../server/server.ts'
import type { RunningServer } from '../../server/serving/running-server.ts'
import { openSiteCaches } from '../../server/store/site-cache/site-caches.ts'
import { openStore } from '../../server/store/store.ts'
import { addCompletedJob } from '../support/completed-job.ts'
import { createConfig, createOrganization } from '../support/server.ts'

// Modes have no meaning on Windows.
const testModes = test.skipIf(process.platform === 'win32')

let folder: string
let data: string
let server: RunningServer | undefined
let logged: string[]
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-private-'))
  data = join(folder, 'data')
  logged = []
})
afterEach(async () => {
  vi.restoreAllMocks()
  await server?.close()
  server = undefined
  await rm(folder, { recursive: true, force: true })
})

/** Writes something of every kind to the data folder. */
async function fill(): Promise<void> {
  const store = openStore(data)
  const { organizationId, projectId } = await createOrganization(store)
  await store.sites.insert({ domain: 'docs.example.com', projectId, origin: null, createdAt: 0 })
  const view = { visitor: Buffer.alloc(16, 1), path: '/', day: toDay(Date.now()), kind: 'human' } as const
  await store.visits.openVisitorKey()
  await store.visits.recordBatch(projectId, toViewBatch([view]))
  await addCompletedJob(store, data, organizationId)
  store.close()
  const caches = openSiteCaches({ folder: join(data, 'sites'), maxBytes: 1e6, sharesArchives: true, warn() {} })
  await (await caches.open('docs.example.com'))?.close()
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

/** What other users may read, each with its mode. Bodies of caches are protected by their folder. */
async function listReadable(): Promise<string[]> {
  const entries = await readdir(data, { recursive: true, withFileTypes: true })
  const paths = [data, ...entries.map(entry => join(entry.parentPath, entry.name))]
  return paths.filter(path => statSync(path).mode & 0o077).map(path => `${relative(folder, path)} ${modeOf(path)}`)
}

testModes('a new data folder can be read only by the user of the server', async () => {
  await fill()
  server = await startServer(createConfig({ data }), pino({}, { write: line => logged.push(line) }))
  expect(await readdir(data)).toEqual(
    expect.arrayContaining(['bundles', 'link.key', 'quire.db', 'quire.db-wal', 'sites', 'visitor.key', 'visits']),
  )
  expect(await listReadable()).toEqual([])
  expect([modeOf(data), modeOf(join(data, 'quire.db')), modeOf(join(data, 'quire.db-wal'))]).toEqual([
    '700',
    '600',
    '600',
  ])
})

testModes('what an earlier version left readable becomes private at the next start', async () => {
  await fill()
  server = await startServer(createConfig({ data }), pino({}, { write: line => logged.push(line) }))
  const store = openStore(data)
  const entries = await readdir(data, { recursive: true, withFileTypes: true })
  for (const entry of entries) chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644)
  chmodSync(data, 0o755)
  await server.close()
  expect((await listReadable()).length).toBeGreaterThan(8)
  server = await startServer(createConfig({ data }), pino({}, { write: line => logged.push(line) }))
  expect(await listReadable()).toEqual([])
  store.close()
})

testModes('every command makes the folder and the database private', async () => {
  openStore(data).close()
  chmodSync(data, 0o755)
  chmodSync(join(data, 'quire.db'), 0o644)
  vi.spyOn(console, 'log').mockImplementation(() => {})
  await orgsCommand().parseAsync(['list', '--data', data], { from: 'user' })
  expect(await listReadable()).toEqual([])
})

testModes('a folder that other programs use stays readable, the files of Quire do not', async () => {
  mkdirSync(join(data, 'of-another-program'), { recursive: true })
  writeFileSync(join(data, 'notes.txt'), 'of another program')
  for (const [path, mode] of [
    ['', 0o755],
    ['of-another-program', 0o755],
    ['notes.txt', 0o644],
  ] as const)
    chmodSync(join(data, path), mode)
  await fill()
  server = await startServer(createConfig({ data }), pino({}, { write: line => logged.push(line) }))
  expect((await listReadable()).sort()).toEqual(['data 755', 'data/notes.txt 644', 'data/of-another-program 755'])
  expect(logged.join()).toContain('other users can list the data folder')
})
