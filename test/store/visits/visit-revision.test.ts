import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type PageView, toViewBatch } from '../../../server/analytics/view-batch.ts'
import { openStore, type SqliteStore } from '../../../server/store/store.ts'
import { openVisitFiles } from '../../../server/store/visits/visits.ts'

let folder: string
let store: SqliteStore
let files: ReturnType<typeof openVisitFiles>

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-revision-'))
  open()
  store.organizations.insert({ id: 'org_1', name: 'Acme', plan: 'standard', createdAt: 0 })
  for (const id of ['prj_1', 'prj_2']) {
    store.projects.insert({ id, organizationId: 'org_1', name: id, visitorSaltRotation: 'never', createdAt: 0 })
  }
})
afterEach(() => {
  close()
  rmSync(folder, { recursive: true, force: true })
})

function open(): void {
  store = openStore(folder)
  files = openVisitFiles(folder)
}

function close(): void {
  files.close()
  store.close()
}

function view(who: number, path: string, day: number, kind: 'human' | 'ai' = 'human'): PageView {
  return { visitor: Buffer.alloc(16, who), path, day, kind }
}

function record(projectId: string, ...views: PageView[]): void {
  store.visits.recordBatch(projectId, toViewBatch(views), { log: 'a.log', position: String(Math.random()) })
}

/** Returns whether the step changes the revision of prj_1. */
async function isChangedBy(step: () => unknown): Promise<boolean> {
  const before = files.findRevision('prj_1')
  await step()
  return files.findRevision('prj_1') !== before
}

test('every batch that changes a count changes the revision, and a batch of known views does not', async () => {
  record('prj_1', view(1, '/a', 5))
  expect(await isChangedBy(() => record('prj_1', view(2, '/a', 5)))).toBe(true)
  expect(await isChangedBy(() => record('prj_1', view(2, '/b', 5)))).toBe(true)
  expect(await isChangedBy(() => record('prj_1', view(2, '/b', 5, 'ai')))).toBe(true)
  expect(await isChangedBy(() => record('prj_1', view(2, '/b', 9)))).toBe(true)
  const known = [view(1, '/a', 5), view(2, '/a', 5), view(2, '/b', 5), view(2, '/b', 5, 'ai'), view(2, '/b', 9)]
  expect(await isChangedBy(() => record('prj_1', ...known))).toBe(false)
  expect(await isChangedBy(() => record('prj_1'))).toBe(false)
})

test('each project has its own revision', async () => {
  record('prj_1', view(1, '/a', 5))
  expect(await isChangedBy(() => record('prj_2', view(1, '/a', 5)))).toBe(false)
  expect(files.findRevision('prj_1')).not.toBe(files.findRevision('prj_2'))
})

test('pruning changes the revision if it changes a counter', async () => {
  record('prj_1', view(1, '/a', 5), view(1, '/a', 9))
  expect(await isChangedBy(() => store.visits.pruneSeen('prj_1', 4))).toBe(false)
  expect(await isChangedBy(() => store.visits.pruneSeen('prj_1', 7))).toBe(true)
  expect(await isChangedBy(() => store.visits.pruneSeen('prj_1', 7))).toBe(false)
})

test('views of pruned days change nothing', async () => {
  record('prj_1', view(1, '/a', 9))
  store.visits.pruneSeen('prj_1', 7)
  expect(await isChangedBy(() => record('prj_1', view(2, '/new', 3)))).toBe(false)
})

test('a batch that fails changes nothing', async () => {
  record('prj_1', view(1, '/a', 5))
  const batch = { ...toViewBatch([view(2, '/a', 5), view(2, '/b', 5)]), masks: Uint8Array.of(1, 5) }
  const fail = () => expect(() => store.visits.recordBatch('prj_1', batch)).toThrow()
  expect(await isChangedBy(fail)).toBe(false)
})

test('a revision never comes back: not after a reset and the same import, and not after a restored backup', async () => {
  const seen = new Set<string>()
  const add = () => {
    const revision = files.findRevision('prj_1')
    expect(seen).not.toContain(revision)
    seen.add(revision)
  }
  add() // the project has no file yet
  record('prj_1', view(1, '/a', 5))
  add()
  store.visits.deleteVisits('prj_1')
  add()
  record('prj_1', view(1, '/a', 5))
  add()
  close()
  const file = join(folder, 'visits', 'prj_1.db')
  checkpoint(file)
  copyFileSync(file, `${file}.backup`)
  open()
  record('prj_1', view(2, '/a', 5))
  add()
  close()
  for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true })
  copyFileSync(`${file}.backup`, file)
  open()
  expect(seen).toContain(files.findRevision('prj_1'))
  record('prj_1', view(3, '/a', 5))
  add()
  files.close()
  store.visits.deleteFile('prj_1')
  files = openVisitFiles(folder)
  record('prj_1', view(1, '/a', 5))
  add()
})

test('counts and their revision are of the same instant', () => {
  record('prj_1', view(1, '/a', 5))
  const { revision, totals } = files.countAtRevision('prj_1', {}, { limit: 1, offset: 0 })
  expect({ revision, total: totals.total }).toEqual({ revision: files.findRevision('prj_1'), total: 1 })
  expect(files.rankPages('prj_1', {}).revision).toBe(revision)
  expect(files.rankPages('prj_1', { dateFrom: 99 })).toMatchObject({ revision, totals: { total: 0 } })
})

function checkpoint(file: string): void {
  const database = new Database(file)
  database.pragma('wal_checkpoint(TRUNCATE)')
  database.close()
}
