import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, expect, test } from 'vitest'
import { type PageView, toViewBatch } from '../../../server/analytics/view-batch.ts'
import { connect } from '../../../server/store/postgres/database.ts'
import { openVisitReader } from '../../../server/store/postgres/visits/visit-reader.ts'
import { openStore, type SqliteStore } from '../../../server/store/store.ts'
import type { CountedVisits } from '../../../server/store/visits/counted-visits.ts'
import { openVisitFiles } from '../../../server/store/visits/visits.ts'
import { shareTests, type TestStore } from '../stores.ts'

/** The visits as the thread reads them that counts visitors. */
let files: CountedVisits
let close = async () => {}

const shared = shareTests(async ({ store }) => {
  await addProjects(store)
  open()
})

function open(): void {
  const { folder, url } = shared
  if (url === undefined) {
    const opened = openVisitFiles(folder)
    files = opened
    close = async () => opened.close()
  } else {
    const database = connect(url)
    files = openVisitReader(database)
    close = database.close
  }
}

async function addProjects({ organizations, projects }: Pick<TestStore, 'organizations' | 'projects'>): Promise<void> {
  await organizations.insert({ id: 'org_1', name: 'Acme', plan: 'standard', createdAt: 0 })
  for (const id of ['prj_1', 'prj_2']) {
    await projects.insert({
      id,
      organizationId: 'org_1',
      name: id,
      visitorSaltRotation: 'never',
      visitorRules: 2,
      createdAt: 0,
    })
  }
}

function view(who: number, path: string, day: number, kind: 'human' | 'ai' = 'human'): PageView {
  return { visitor: Buffer.alloc(16, who), path, day, kind }
}

async function record(projectId: string, ...views: PageView[]): Promise<void> {
  await recordIn(shared.store, projectId, ...views)
}

let batches = 0
async function recordIn({ visits }: Pick<TestStore, 'visits'>, projectId: string, ...views: PageView[]): Promise<void> {
  batches += 1
  await visits.recordBatch(projectId, toViewBatch(views), { log: 'a.log', position: String(batches) })
}

/** Returns whether the step changes the revision of prj_1. */
async function isChangedBy(step: () => unknown): Promise<boolean> {
  const before = await files.findRevision('prj_1')
  await step()
  return (await files.findRevision('prj_1')) !== before
}

shared.describe('the revision of visits', () => {
  afterEach(() => close())

  test('every batch that changes a count changes the revision, and a batch of known views does not', async () => {
    await record('prj_1', view(1, '/a', 5))
    expect(await isChangedBy(() => record('prj_1', view(2, '/a', 5)))).toBe(true)
    expect(await isChangedBy(() => record('prj_1', view(2, '/b', 5)))).toBe(true)
    expect(await isChangedBy(() => record('prj_1', view(2, '/b', 5, 'ai')))).toBe(true)
    expect(await isChangedBy(() => record('prj_1', view(2, '/b', 9)))).toBe(true)
    const known = [view(1, '/a', 5), view(2, '/a', 5), view(2, '/b', 5), view(2, '/b', 5, 'ai'), view(2, '/b', 9)]
    expect(await isChangedBy(() => record('prj_1', ...known))).toBe(false)
    expect(await isChangedBy(() => record('prj_1'))).toBe(false)
  })

  test('each project has its own revision', async () => {
    await record('prj_1', view(1, '/a', 5))
    expect(await isChangedBy(() => record('prj_2', view(1, '/a', 5)))).toBe(false)
    expect(await files.findRevision('prj_1')).not.toBe(await files.findRevision('prj_2'))
  })

  test('pruning changes the revision if it changes a counter', async () => {
    await record('prj_1', view(1, '/a', 5), view(1, '/a', 9))
    expect(await isChangedBy(() => shared.store.visits.pruneSeen('prj_1', 4))).toBe(false)
    expect(await isChangedBy(() => shared.store.visits.pruneSeen('prj_1', 7))).toBe(true)
    expect(await isChangedBy(() => shared.store.visits.pruneSeen('prj_1', 7))).toBe(false)
  })

  test('views of pruned days change nothing', async () => {
    await record('prj_1', view(1, '/a', 9))
    await shared.store.visits.pruneSeen('prj_1', 7)
    expect(await isChangedBy(() => record('prj_1', view(2, '/new', 3)))).toBe(false)
  })

  test('a batch that fails changes nothing', async () => {
    await record('prj_1', view(1, '/a', 5))
    const batch = { ...toViewBatch([view(2, '/a', 5), view(2, '/b', 5)]), masks: Uint8Array.of(1, 5) }
    const fail = () => expect((async () => shared.store.visits.recordBatch('prj_1', batch))()).rejects.toThrow()
    expect(await isChangedBy(fail)).toBe(false)
  })

  test('a revision never comes back after a reset and the same import, or after a deletion', async () => {
    const seen = new Set<string>()
    const add = async () => {
      const revision = await files.findRevision('prj_1')
      expect(seen).not.toContain(revision)
      seen.add(revision)
    }
    await add() // nothing is stored of the project yet
    await record('prj_1', view(1, '/a', 5))
    await add()
    await shared.store.visits.deleteVisits('prj_1')
    await add()
    await record('prj_1', view(1, '/a', 5))
    await add()
    await close()
    await shared.store.visits.deleteFile('prj_1')
    open()
    await record('prj_1', view(1, '/a', 5))
    await add()
  })

  test('counts and their revision are of the same instant', async () => {
    await record('prj_1', view(1, '/a', 5))
    const { revision, totals } = await files.countAtRevision('prj_1', {}, { limit: 1, offset: 0 })
    expect({ revision, total: totals.total }).toEqual({ revision: await files.findRevision('prj_1'), total: 1 })
    expect((await files.rankPages('prj_1', {})).revision).toBe(revision)
    expect(await files.rankPages('prj_1', { dateFrom: 99 })).toMatchObject({ revision, totals: { total: 0 } })
  })
})

test('a revision does not come back after a file is restored from a backup', async context => {
  const folder = mkdtempSync(join(tmpdir(), 'quire-revision-'))
  context.onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'visits', 'prj_1.db')
  /** Opens the folder, does something, and returns the revision. */
  const during = async (work: (store: SqliteStore) => unknown = () => {}) => {
    const store = openStore(folder)
    const files = openVisitFiles(folder)
    await work(store)
    const revision = await files.findRevision('prj_1')
    files.close()
    store.close()
    return revision
  }
  const see = (visitor: number) => (store: SqliteStore) => recordIn(store, 'prj_1', view(visitor, '/a', 5))
  await during(addProjects)
  const first = await during(see(1))
  checkpoint(file)
  copyFileSync(file, `${file}.backup`)
  const second = await during(see(2))
  for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true })
  copyFileSync(`${file}.backup`, file)
  expect(await during()).toBe(first)
  const third = await during(see(3))
  expect(new Set([first, second, third]).size).toBe(3)
})

function checkpoint(file: string): void {
  const database = new Database(file)
  database.pragma('wal_checkpoint(TRUNCATE)')
  database.close()
}
