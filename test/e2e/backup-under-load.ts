import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '../../server/store/store.ts'
import {
  countVisitors,
  fillDataFolder,
  findInconsistencies,
  listCompleted,
  projectId,
} from '../store/backup/data-folder.ts'
import { waitFor } from '../support/export-site.ts'
import { runQuire, type ServeProcess, startServe } from '../support/process.ts'
import { type RunningProgram, startProgram } from '../support/program.ts'
import { followedLog, type Written } from './backup-load-kinds.ts'

const moreProjects = ['prj_2', 'prj_followed']

/** A server on a data folder, while another process writes to the folder about 500 times a second. */
export interface LoadedFolder {
  /** For backups and restored folders. */
  folder: string
  data: string
  server: ServeProcess
  load: RunningProgram
  /** What was acknowledged so far. */
  readWritten(): Written[]
  dispose(): Promise<void>
}

export async function startLoad(): Promise<LoadedFolder> {
  const folder = mkdtempSync(join(tmpdir(), 'quire-backup-load-'))
  const data = join(folder, 'data')
  await fillDataFolder(data)
  await addBallast(data)
  const server = await startServe(['--data', data])
  const load = startProgram(['test/e2e/backup-load.ts', data, projectId, 'prj_2'])
  const readWritten = () =>
    load
      .stdout()
      .split('\n')
      .slice(0, -1)
      .map(line => JSON.parse(line) as Written)
  await waitFor(async () => (readWritten().length > 500 ? true : undefined))
  return {
    folder,
    data,
    server,
    load,
    readWritten,
    async dispose() {
      await load.end('SIGKILL')
      await server.end('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Adds so many rows that the copy of the main database takes several steps. */
async function addBallast(data: string): Promise<void> {
  const store = openStore(data)
  const source = { repository: 'https://git.example.com/acme/docs', ref: 'x'.repeat(500) }
  const job = { projectId, source, model: 'm', status: 'active' as const, prLink: null, createdAt: 1, archivedAt: null }
  await store.agentJobs.insertAll(Array.from({ length: 40_000 }, (_, i) => ({ ...job, id: `aj_old_${i}` })))
  for (const id of moreProjects) {
    const project = {
      id,
      organizationId: 'org_1',
      name: id,
      visitorSaltRotation: 'never' as const,
      visitorRules: 2 as const,
      createdAt: 1,
    }
    await store.projects.insert(project)
  }
  store.close()
}

/** Makes a backup and restores it. Returns what is wrong with it, and how much was written while it was made. */
export async function backUpAndCompare({ folder, data, readWritten }: LoadedFolder, name: string, restored: string) {
  const before = readWritten()
  const startedAt = performance.now()
  const backup = await runQuire(['backup', join(folder, name), '--data', data, '--json'])
  const seconds = (performance.now() - startedAt) / 1000
  const until = readWritten()
  const restore = await runQuire(['restore', join(folder, name), '--data', restored])
  const { code, stderr } = backup.code === 0 ? restore : backup
  const problems =
    code === 0 && stderr === '' ? await compare(restored, before, until) : [`exit code ${code}: ${stderr}`]
  return { problems, writes: until.length - before.length, seconds }
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
