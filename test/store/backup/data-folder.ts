import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { toViewBatch } from '../../../server/analytics/view-batch.ts'
import { openSecret } from '../../../server/store/secret-file.ts'
import { openStore } from '../../../server/store/store.ts'

export const projectId = 'prj_1'

/** Fills a data folder as a server and its commands do: rows, visits, a finished export, keys, a cache and scratch files. */
export async function fillDataFolder(folder: string): Promise<void> {
  const store = openStore(folder)
  await store.organizations.insert({ id: 'org_1', name: 'Acme', plan: 'enterprise', createdAt: 1 })
  await store.projects.insert({
    id: projectId,
    organizationId: 'org_1',
    name: 'Docs',
    visitorSaltRotation: 'never',
    visitorRules: 2,
    createdAt: 1,
  })
  await addAgentJob(store, 'aj_1')
  await store.visits.openVisitorKey()
  await addVisitor(store, 1)
  store.close()
  openSecret(join(folder, 'link.key'))
  addExport(folder, 'se_1', 'the bytes of a bundle')
  for (const [path, text] of [
    ['sites/docs.example.com-0/bodies/b', 'cached'],
    ['work/se_2-1/page', 'scratch'],
    ['lost/se_9.zip', 'a bundle without a job'],
    ['notes.txt', 'of the operator'],
  ] as const) {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

type Store = ReturnType<typeof openStore>

export async function addAgentJob({ agentJobs }: Pick<Store, 'agentJobs'>, id: string): Promise<void> {
  await agentJobs.insert({
    projectId,
    id,
    status: 'active',
    source: { repository: 'https://git.example.com/acme/docs', ref: null },
    model: 'writer-2',
    prLink: null,
    createdAt: Date.now(),
    archivedAt: null,
  })
}

/** Counts a page view of one visitor. */
export async function addVisitor(
  { visits }: Pick<Store, 'visits'>,
  number: number,
  project = projectId,
): Promise<void> {
  const visitor = Buffer.alloc(16)
  visitor.writeUInt32LE(number)
  await visits.recordBatch(project, toViewBatch([{ visitor, path: '/a', day: 20_000, kind: 'human' }]))
}

export async function countVisitors({ visits }: Pick<Store, 'visits'>, project = projectId): Promise<number> {
  return (await visits.countUniqueVisitors(project, {}, { limit: 1, offset: 0 })).totals.total
}

/** Adds a completed export, in the order of the server: first the bundle, then the row. */
export function addExport(folder: string, jobId: string, content: string | Buffer, database?: Database.Database): void {
  if (!database) {
    withMain(folder, main => addExport(folder, jobId, content, main))
    return
  }
  mkdirSync(join(folder, 'bundles'), { recursive: true })
  writeFileSync(join(folder, 'bundles', `${jobId}.zip`), content)
  database
    .prepare(
      `INSERT INTO export_jobs (job_id, organization_id, domain, request, status, progress, page_count, created_at,
         updated_at, bundle_file, bundle_size_bytes, bundle_sha256)
       VALUES (?, 'org_1', 'docs.example.com', '{"format":"zip"}', 'completed', 100, 1, 1, 1, ?, ?, ?)`,
    )
    .run(jobId, `${jobId}.zip`, Buffer.byteLength(content), digest(content))
}

/** Deletes an export, in the order of the server: first the row, then the bundle. */
export function deleteExport(folder: string, jobId: string, database: Database.Database): void {
  database.prepare('DELETE FROM export_jobs WHERE job_id = ?').run(jobId)
  rmSync(join(folder, 'bundles', `${jobId}.zip`))
}

function withMain<T>(folder: string, work: (database: Database.Database) => T): T {
  const database = openMain(folder)
  try {
    return work(database)
  } finally {
    database.close()
  }
}

export function openMain(folder: string): Database.Database {
  return new Database(join(folder, 'quire.db'), { timeout: 10_000 })
}

export function digest(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}

/** The bytes of each file below a folder, by path, with the mode of files and folders. */
export function readTree(folder: string): Map<string, { mode: number; sha256: string | null }> {
  const tree = new Map<string, { mode: number; sha256: string | null }>()
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const stats = statSync(join(folder, entry))
    const sha256 = stats.isFile() ? digest(readFileSync(join(folder, entry))) : null
    tree.set(entry, { mode: stats.mode & 0o777, sha256 })
  }
  return tree
}

export interface CopiedJob {
  jobId: string
  fileName: string
  sizeBytes: number
  sha256: string
}

/** The problems of a data folder whose databases and bundles must agree. */
export function findInconsistencies(folder: string): string[] {
  const problems: string[] = []
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(path => path.endsWith('.db'))
  for (const path of paths) {
    const database = new Database(join(folder, path), { fileMustExist: true })
    const found = database.pragma('integrity_check(1)', { simple: true })
    if (found !== 'ok') problems.push(`${path}: ${found}`)
    if ((database.pragma('foreign_key_check') as object[]).length > 0) problems.push(`${path}: a broken reference`)
    database.close()
  }
  for (const { jobId, fileName, sizeBytes, sha256 } of listCompleted(folder)) {
    try {
      const bytes = readFileSync(join(folder, 'bundles', fileName))
      if (bytes.length !== sizeBytes || digest(bytes) !== sha256) problems.push(`${jobId}: another bundle`)
    } catch {
      problems.push(`${jobId}: no bundle`)
    }
  }
  return problems
}

export function listCompleted(folder: string): CopiedJob[] {
  return withMain(folder, database =>
    database
      .prepare<[], CopiedJob>(
        `SELECT job_id AS jobId, bundle_file AS fileName, bundle_size_bytes AS sizeBytes, bundle_sha256 AS sha256
         FROM export_jobs WHERE status = 'completed'`,
      )
      .all(),
  )
}
