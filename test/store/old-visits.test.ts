import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openStore } from '../../server/store/store.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-old-visits-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Creates a database of the old version, in which all projects shared the tables of visits. */
function writeOldDatabase(): void {
  const store = openStore(folder)
  store.organizations.insert({ id: 'org_1', name: 'Acme', plan: 'standard', createdAt: 0 })
  for (const id of ['prj_1', 'prj_2']) {
    store.projects.insert({
      id,
      organizationId: 'org_1',
      name: id,
      visitorSaltRotation: 'never',
      visitorRules: 2,
      createdAt: 0,
    })
  }
  store.close()
  const database = new Database(join(folder, 'quire.db'))
  const migrations = join(import.meta.dirname, '../../server/store/migrations')
  database.exec(readFileSync(join(migrations, '003-visits.sql'), 'utf8'))
  database.exec(`INSERT INTO pages (key, project_key, path) VALUES (1, 1, '/a'), (2, 1, '/b'), (3, 2, '/a')`)
  const seen = database.prepare('INSERT INTO seen (project_key, day, page_key, visitor, mask) VALUES (?, ?, ?, ?, ?)')
  const visits = [
    [1, 20_000, 1, 1, 1],
    [1, 20_001, 1, 1, 3],
    [1, 20_001, 2, 2, 2],
    [2, 20_000, 3, 1, 1],
  ]
  for (const [project, day, page, who, mask] of visits) {
    for (const key of [0, page]) seen.run(project, day, key, Buffer.alloc(16, who), mask)
  }
  database.close()
}

test('visits from tables that all projects shared are counted as before', async () => {
  writeOldDatabase()
  for (const _ of ['moved', 'opened again']) {
    const store = openStore(folder)
    const count = (id: string, dateFrom: number) =>
      store.visits.countUniqueVisitors(id, { dateFrom }, { limit: 9, offset: 0 })
    expect(await count('prj_1', 20_000)).toEqual({
      totals: { human: 1, ai: 2, total: 2 },
      visitors: [
        { path: '/a', human: 1, ai: 1, total: 1 },
        { path: '/b', human: 0, ai: 1, total: 1 },
      ],
      hasMore: false,
    })
    expect((await count('prj_2', 20_000)).totals).toEqual({ human: 1, ai: 0, total: 1 })
    expect((await count('prj_2', 20_001)).totals).toEqual({ human: 0, ai: 0, total: 0 })
    store.close()
  }
  const database = new Database(join(folder, 'quire.db'))
  expect(database.prepare("SELECT name FROM sqlite_schema WHERE name IN ('seen', 'pages')").all()).toEqual([])
  database.close()
})
