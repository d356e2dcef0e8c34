import { cpSync, existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { toViewBatch } from '../../server/analytics/view-batch.ts'
import { downgradeDatabases, planDowngrade } from '../../server/store/downgrade.ts'
import { listKnownSchemas } from '../../server/store/schema-versions.ts'
import { openStore } from '../../server/store/store.ts'
import { planUpgrade, upgradeDatabases } from '../../server/store/upgrade.ts'

/** The data of an earlier version. */
const name = 'main-8-visits-3'
const earlier = { version: '0.0.8', main: 8, visits: 3 }
const { main, visits } = listKnownSchemas()

let folder: string
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-downgrade-'))
  cpSync(join(import.meta.dirname, 'schemas', name), folder, { recursive: true })
  for (const packed of globSync('**/*.gz', { cwd: folder })) {
    const file = join(folder, packed)
    writeFileSync(file.slice(0, -'.gz'.length), gunzipSync(readFileSync(file)))
    rmSync(file)
  }
  rmSync(join(folder, 'answers.json'))
  upgradeDatabases(folder, await planUpgrade(folder), () => {})
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const list = () =>
  globSync(['*', 'visits/*'], { cwd: folder })
    .filter(file => file.includes('.db'))
    .sort()

function read(path: string, sql: string): unknown[] {
  const database = new Database(join(folder, path), { readonly: true })
  try {
    return database.prepare(sql).all()
  } finally {
    database.close()
  }
}

/** Stores what an operator does after an upgrade. Returns the id of the project. */
async function workOn(): Promise<string> {
  const store = openStore(folder)
  try {
    const [organization] = await store.organizations.list()
    const organizationId = organization?.id ?? ''
    await store.organizations.updateName(organizationId, 'Renamed')
    const project = {
      id: 'prj_newer',
      organizationId,
      name: 'Newer',
      createdAt: 1,
      visitorSaltRotation: 'never' as const,
      visitorRules: 2 as const,
    }
    await store.projects.insert(project)
    await store.visits.openVisitorKey()
    await store.visits.recordBatch(project.id, toViewBatch([]))
    return project.id
  } finally {
    await store.close()
  }
}

test('a version that knows the schema needs nothing', async () => {
  const plan = await planDowngrade(folder, { version: '', main, visits })
  expect(plan.map(({ fate, copy, lost }) => ({ fate, copy, lost }))).toEqual(
    plan.map(() => ({ fate: 'usable', copy: null, lost: [] })),
  )
  const before = list()
  downgradeDatabases(folder, plan, () => expect.fail())
  expect(list()).toEqual(before)
})

test('copies take the place of databases, and what is lost is counted before', async () => {
  const nothing = await planDowngrade(folder, earlier)
  expect(nothing.map(({ lost }) => lost)).toEqual(nothing.map(() => []))
  const projectId = await workOn()
  const plan = await planDowngrade(folder, earlier)
  const [mainPlan, ...others] = plan
  expect(mainPlan).toMatchObject({ path: 'quire.db', schema: main, known: 8, fate: 'replaced' })
  expect(mainPlan?.lost).toEqual(
    expect.arrayContaining([
      { table: 'organizations', rows: 1 },
      { table: 'projects', rows: 1 },
    ]),
  )
  expect(others.map(({ path, fate }) => [path.includes(projectId), fate])).toEqual(
    expect.arrayContaining([
      [true, 'set aside'],
      [false, 'replaced'],
    ]),
  )
  // As if it were interrupted after the main database.
  downgradeDatabases(folder, plan.slice(0, 1), () => {})
  const rest = await planDowngrade(folder, earlier)
  expect(rest.map(({ fate }) => fate).sort()).toEqual(['replaced', 'set aside', 'usable'])
  const told: string[] = []
  downgradeDatabases(folder, rest, path => told.push(path))
  expect(told.sort()).toEqual(others.map(({ path }) => path).sort())
  expect(read('quire.db', 'PRAGMA user_version')).toEqual([{ user_version: 8 }])
  expect(read('quire.db', 'SELECT name FROM organizations')).not.toContainEqual({ name: 'Renamed' })
  expect(read(`quire.db.schema-${main}`, 'SELECT name FROM organizations')).toContainEqual({ name: 'Renamed' })
  expect(list()).toContain(`visits/${projectId}.db.schema-${visits}`)
  expect(list()).not.toContain(`visits/${projectId}.db`)
  // A second call, as after an interruption, finds nothing to do.
  expect((await planDowngrade(folder, earlier)).every(({ fate }) => fate === 'usable')).toBe(true)
})

test('what a killed server left in the WAL does not reach the copy', async () => {
  const database = new Database(join(folder, 'quire.db'))
  database.pragma('journal_mode = WAL')
  database.exec("UPDATE organizations SET name = 'In the WAL'")
  // Kept open, as by a process that was killed: the WAL stays.
  const wal = readFileSync(join(folder, 'quire.db-wal'))
  database.close()
  writeFileSync(join(folder, 'quire.db-wal'), wal)
  downgradeDatabases(folder, await planDowngrade(folder, earlier), () => {})
  expect(existsSync(join(folder, 'quire.db-wal'))).toBe(false)
  expect(read('quire.db', 'SELECT name FROM organizations')).not.toContainEqual({ name: 'In the WAL' })
  expect(read(`quire.db.schema-${main}`, 'SELECT name FROM organizations')).toContainEqual({ name: 'In the WAL' })
})

test('a database that another process has open is not replaced', async () => {
  const database = new Database(join(folder, 'quire.db'))
  try {
    database.pragma('journal_mode = WAL')
    database.prepare('SELECT count(*) FROM projects').get()
    const plan = await planDowngrade(folder, earlier)
    expect(() => downgradeDatabases(folder, plan, () => {})).toThrow(/Another process uses .*quire\.db\. Stop it/)
    expect(read('quire.db', 'PRAGMA user_version')).toEqual([{ user_version: main }])
  } finally {
    database.close()
  }
})

test('without a copy, the database is stuck', async () => {
  for (const file of readdirSync(folder)) if (file.includes('.schema-')) rmSync(join(folder, file))
  expect((await planDowngrade(folder, earlier))[0]).toMatchObject({ path: 'quire.db', fate: 'stuck', copy: null })
})
