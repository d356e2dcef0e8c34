import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { generateAccessLog } from '../../../server/commands/demo/access-log.ts'
import { createTestDatabase, findPostgres, type TestDatabase } from '../../support/postgres/test-database.ts'
import { runQuire, startServe } from '../../support/process.ts'

const found = await findPostgres()
const skipped = 'missing' in found ? `, skipped: ${found.missing}` : ''

const from = 20_700
const paths = Array.from({ length: 2500 }, (_, i) => `/page-${i % 7}-${i}`)

describe.skipIf('missing' in found)(`visits on PostgreSQL${skipped}`, () => {
  let folder: string
  let database: TestDatabase
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quire-postgres-visits-'))
    database = await createTestDatabase((found as { url: string }).url)
    const lines = generateAccessLog({ seed: 3, lines: 30_000, from, to: from + 70, paths })
    writeFileSync(join(folder, 'access.log'), `${[...lines].join('\n')}\n`)
  })
  afterAll(async () => {
    await database?.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Imports the log with `visits import`, and reads the counts in all ways. */
  async function answer(name: string, where: readonly string[]) {
    const flags = ['--data', join(folder, name), ...where]
    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await runQuire([...args, ...flags])
      expect({ code, stderr }, args.join(' ')).toEqual({ code: 0, stderr: expect.any(String) })
      return stdout
    }
    const created = await run('init', '--yes', '--json', '--site', 'docs.example.com')
    const { key } = JSON.parse(created)
    const rotating = JSON.parse(
      await run('projects', 'create', 'Rotating', '--org', 'Main', '--salt-rotation', 'month', '--json'),
    )
    const projects = [JSON.parse(created).project.id, rotating.id]
    const imported: unknown[] = []
    for (const project of [...projects, projects[1]]) {
      const summary = await run('visits', 'import', join(folder, 'access.log'), '--project', project, '--json')
      const { newVisitorDays, tooOldViews, unique } = JSON.parse(summary)
      imported.push({ newVisitorDays, tooOldViews, unique })
    }
    const tables = []
    for (const args of [['--csv'], ['--csv', '--table', 'days'], ['--csv', '--table', 'agents', '--by', 'week']]) {
      tables.push(await run('visits', 'show', '--project', projects[0], ...args))
    }
    const server = await startServe(flags)
    const get = (query: string, headers = {}) =>
      fetch(`${server.url}/v1/analytics/${projects[1]}/visitors?${query}`, {
        headers: { Authorization: `Bearer ${key.key}`, ...headers },
      })
    const windows = await Promise.all(
      ['limit=250', 'limit=3&offset=2490', 'dateFrom=2026-09-20&dateTo=2026-10-20&limit=7'].map(async query =>
        (await get(query)).json(),
      ),
    )
    const csv = await get('dateFrom=2026-09-10', { Accept: 'text/csv' })
    const etag = csv.headers.get('etag') ?? ''
    const unchanged = await get('dateFrom=2026-09-10', { Accept: 'text/csv', 'If-None-Match': etag })
    const answers = { windows, csv: await csv.text(), hasTag: etag.length > 10, unchanged: unchanged.status }
    expect(await server.end('SIGTERM')).toBe(0)
    return { imported, tables, ...answers }
  }

  test('have the answers of SQLite, in commands and in the API', { timeout: 180_000 }, async () => {
    const want = await answer('sqlite', [])
    expect(want.csv.split('\r\n').length).toBeGreaterThan(1500)
    expect(await answer('postgres', ['--database', database.url])).toEqual(want)
    // The visits of a second node with another key are refused.
    const other = ['--data', join(folder, 'other'), '--database', database.url]
    const { code, stderr } = await runQuire([
      'visits',
      'import',
      join(folder, 'access.log'),
      '--project',
      'Rotating',
      ...other,
    ])
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^\S+visitor\.key is missing, but visitors were counted with this key\./),
    })
    expect(await database.run('SELECT count(*)::integer AS positions FROM log_positions')).toEqual([{ positions: 0 }])
  })
})
