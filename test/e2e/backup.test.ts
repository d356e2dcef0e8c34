import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openStore } from '../../server/store/store.ts'
import {
  addAgentJob,
  countVisitors,
  fillDataFolder,
  findInconsistencies,
  listCompleted,
  projectId,
} from '../store/backup/data-folder.ts'
import { send } from '../support/client.ts'
import { waitFor } from '../support/export-site.ts'
import { runQuire, type ServeProcess, startServe } from '../support/process.ts'
import { type RunningProgram, startProgram } from '../support/program.ts'
import { followedLog, type Written } from './backup-load-kinds.ts'

const projects = ['prj_1', 'prj_2', 'prj_followed']
let folder: string
let data: string
let server: ServeProcess | undefined
let load: RunningProgram | undefined

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-backup-e2e-'))
  data = join(folder, 'data')
  await fillDataFolder(data)
  const store = openStore(data)
  for (const id of projects.slice(1)) {
    const project = { id, organizationId: 'org_1', name: id, visitorSaltRotation: 'never' as const, createdAt: 1 }
    await store.projects.insert(project)
  }
  store.close()
})
afterEach(async () => {
  await load?.end('SIGKILL')
  await server?.end('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

/** What was acknowledged so far. */
function readWritten(): Written[] {
  const lines = load?.stdout().split('\n').slice(0, -1) ?? []
  return lines.map(line => JSON.parse(line))
}

/** The problems of a restored folder, compared with what was acknowledged before the backup began and while it ran. */
async function compare(restored: string, before: readonly Written[], until: readonly Written[]): Promise<string[]> {
  const problems = findInconsistencies(restored)
  const store = openStore(restored)
  const completed = new Map(listCompleted(restored).map(({ jobId, sha256 }) => [jobId, sha256]))
  const deleted = new Set(until.flatMap(written => (written.kind === 'deletion' ? written.id : [])))
  let position = 0
  const visitors = new Map<string, number>()
  for (const written of before) {
    if (written.kind === 'agent-job' && !(await store.agentJobs.find(projectId, written.id))) problems.push(written.id)
    if (written.kind === 'export' && !deleted.has(written.id) && completed.get(written.id) !== written.sha256) {
      problems.push(`${written.id} is not as acknowledged`)
    }
    if (written.kind === 'visitor') visitors.set(written.project, (visitors.get(written.project) ?? 0) + 1)
    if (written.kind === 'position') position = written.visitors
  }
  for (const [project, count] of visitors) {
    if ((await countVisitors(store, project)) < count) problems.push(`${project} lacks visitors`)
  }
  const copied = Number(await store.visits.findLogPosition(undefined, followedLog))
  if (copied < position) problems.push('the position of the log is older than acknowledged')
  if ((await countVisitors(store, 'prj_followed')) < copied) problems.push('the visits are older than their position')
  store.close()
  return problems
}

test('backups that are made while a server runs and 500 writes a second go on are complete and consistent', async () => {
  const store = openStore(data)
  // Enough that a copy takes several steps.
  const source = { repository: 'https://git.example.com/acme/docs', ref: 'x'.repeat(500) }
  const old = { projectId, source, model: 'm', status: 'active' as const, prLink: null, createdAt: 1, archivedAt: null }
  await store.agentJobs.insertAll(Array.from({ length: 40_000 }, (_, i) => ({ ...old, id: `aj_old_${i}` })))
  store.close()
  server = await startServe(['--data', data])
  load = startProgram(['test/e2e/backup-load.ts', data, 'prj_1', 'prj_2'])
  await waitFor(async () => (readWritten().length > 500 ? true : undefined))

  for (const name of ['first.tar', 'second', 'third.tar.gz']) {
    const before = readWritten()
    const backup = await runQuire(['backup', join(folder, name), '--data', data, '--json'])
    expect(backup).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(backup.stdout)).toMatchObject({ path: join(folder, name), warnings: [] })
    const until = readWritten()
    expect(until.length).toBeGreaterThan(before.length + 20)
    const restored = join(folder, `restored-${name}`)
    expect(await runQuire(['restore', join(folder, name), '--data', restored])).toMatchObject({ code: 0, stderr: '' })
    expect(await compare(restored, before, until)).toEqual([])
  }
  expect(await send(server.url, '/readyz')).toMatchObject({ status: 200 })
  await load.end('SIGKILL')
  await server.end('SIGTERM')

  server = await startServe(['--data', join(folder, 'restored-second')])
  expect(await send(server.url, '/readyz')).toMatchObject({ status: 200 })
  expect(findInconsistencies(join(folder, 'restored-second'))).toEqual([])
})

test('a copy of quire.db alone, which the documentation warns of, lacks acknowledged rows', async () => {
  const store = openStore(data)
  for (let i = 0; i < 50; i++) await addAgentJob(store, `aj_wal_${i}`)
  const copied = join(folder, 'copied')
  mkdirSync(copied)
  copyFileSync(join(data, 'quire.db'), join(copied, 'quire.db'))
  await runQuire(['backup', join(folder, 'b'), '--data', data])
  store.close()
  const count = async (from: string) => {
    const opened = openStore(from)
    const jobs = await opened.agentJobs.list(projectId)
    opened.close()
    return jobs.length
  }
  await runQuire(['restore', join(folder, 'b'), '--data', join(folder, 'restored')])
  expect(await count(join(folder, 'restored'))).toBe(51)
  expect(await count(copied)).toBeLessThan(51)
})

test('a folder that a server uses is not restored into, even if someone emptied it', async () => {
  await runQuire(['backup', join(folder, 'b.tar'), '--data', data])
  server = await startServe(['--data', data])
  const into = (dataFolder: string) => runQuire(['restore', join(folder, 'b.tar'), '--data', dataFolder])
  const refused = { code: 1, stderr: `Process ${server.child.pid} uses ${data}. Stop the server, and restore again.\n` }
  expect(await into(data)).toMatchObject(refused)
  rmSync(data, { recursive: true })
  expect(await into(data)).toMatchObject(refused)
  expect(existsSync(data)).toBe(false)
  await server.end('SIGKILL')
  expect(await into(data)).toMatchObject({ code: 0 })
  expect(findInconsistencies(data)).toEqual([])
})

test('a backup that is killed leaves nothing under its name, and the next one removes what it left', async () => {
  const listScratch = () => readdirSync(folder).filter(name => name.startsWith('quire-backup-'))
  // Large enough that the signal comes before the end.
  writeFileSync(join(data, 'bundles/large'), Buffer.alloc(200_000_000))
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    const program = startProgram(['server/main.ts', 'backup', join(folder, 'b.tar'), '--data', data])
    await waitFor(async () => (listScratch().length > 0 ? true : undefined))
    await program.end(signal)
    expect(existsSync(join(folder, 'b.tar'))).toBe(false)
  }
  await runQuire(['backup', join(folder, 'b.tar'), '--data', data])
  expect(existsSync(join(folder, 'b.tar'))).toBe(true)
  expect(listScratch()).toEqual([])
})
