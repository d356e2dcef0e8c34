import { existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { toDay } from '../../server/analytics/day.ts'
import { toViewBatch } from '../../server/analytics/view-batch.ts'
import { checkDatabases } from '../../server/commands/doctor/check-databases.ts'
import { visitsCommand } from '../../server/commands/visits.ts'
import { startServer } from '../../server/server.ts'
import { makeBackup } from '../../server/store/backup/make-backup.ts'
import { openStore } from '../../server/store/store.ts'
import { openVisitFiles } from '../../server/store/visits/visits.ts'
import { send } from '../support/client.ts'
import { createRandomBytes } from '../support/random.ts'
import { createApiKey, createConfig, createOrganization } from '../support/server.ts'

// The file of a project's visits is missing, emptied or damaged: nobody gets zeros for an answer.

let folder: string
let data: string
let file: string
let projectId: string
let otherId: string
let headers: Record<string, string>

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-lost-visits-'))
  data = join(folder, 'data')
  const store = openStore(data)
  const organization = await createOrganization(store)
  projectId = organization.projectId
  otherId = 'prj_never'
  store.projects.insert({
    id: otherId,
    organizationId: organization.organizationId,
    name: 'Never visited',
    visitorSaltRotation: 'never',
    visitorRules: 2,
    createdAt: 1,
  })
  headers = { Authorization: `Bearer ${(await createApiKey(store, organization.organizationId)).key}` }
  store.visits.openVisitorKey()
  const view = { visitor: Buffer.alloc(16, 1), path: '/', day: toDay(Date.now()), kind: 'human' } as const
  await store.visits.recordBatch(projectId, toViewBatch([view]))
  store.close()
  file = join(data, 'visits', `${projectId}.db`)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Starts a server and asks for the visitors of both projects. Returns the answers and the lines of the log. */
async function ask() {
  const log: Record<string, unknown>[] = []
  const server = await startServer(createConfig({ data }), pino({}, { write: line => void log.push(JSON.parse(line)) }))
  const visitors = (id: string, more = {}) =>
    send(server.url, `/v1/analytics/${id}/visitors`, { headers: { ...headers, ...more } })
  const answers = {
    json: await visitors(projectId),
    csv: await visitors(projectId, { Accept: 'text/csv' }),
    conditional: await visitors(projectId, { 'If-None-Match': '"x"' }),
    other: await visitors(otherId),
  }
  await server.close()
  const errors = log.filter(({ level }) => Number(level) >= 50)
  return { ...answers, atStart: errors.filter(({ operationId }) => !operationId), errors }
}

/** Counts as the server does: in a thread, which does not open the store. */
function count(id = projectId): number {
  openStore(data).close()
  const files = openVisitFiles(data)
  try {
    return files.countAtRevision(id, {}, { limit: 1, offset: 0 }).totals.total
  } finally {
    files.close()
  }
}

async function quire(...args: string[]): Promise<{ output: string; error?: string }> {
  const printed = vi.spyOn(console, 'log').mockImplementation(() => undefined)
  const failure = await visitsCommand()
    .exitOverride()
    .parseAsync([...args, '--data', data], { from: 'user' })
    .then(
      () => ({}),
      error => ({ error: error.message as string }),
    )
  const output = printed.mock.calls.flat().join('\n')
  printed.mockRestore()
  return { output, ...failure }
}

function importLine(): ReturnType<typeof quire> {
  const log = join(folder, 'access.log')
  writeFileSync(
    log,
    '192.0.2.1 - - [20/Nov/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 10 "-" "Mozilla/5.0 Firefox/130.0"\n',
  )
  return quire('import', log, '--project', projectId)
}

const backUp = () =>
  makeBackup({
    dataFolder: data,
    target: join(folder, 'backup'),
    overwrite: true,
    isNoted: true,
    version: '0.1.0',
    now: Date.now,
    onProgress() {},
  })

function makeEmptyDatabase(): void {
  rmSync(file)
  const empty = new Database(file)
  empty.exec('CREATE TABLE a (b); DROP TABLE a')
  empty.close()
}

const spoilers: [name: string, inBackup: string, spoil: () => void][] = [
  ['missing', 'missing', () => rmSync(file)],
  ['of 0 bytes', 'empty', () => truncateSync(file, 0)],
  ['without tables', 'without the tables of Quire', makeEmptyDatabase],
  ['not a database', 'not a database', () => writeFileSync(file, createRandomBytes('damage', 8192))],
]

// One server each, because a start takes the time of many other tests.
test.each([
  ['missing', () => rmSync(file)],
  ['not a database', () => writeFileSync(file, createRandomBytes('damage', 8192))],
])(
  'visits in a file that is %s are a log line at the start and a 500 with words; other projects are answered',
  async (why, spoil) => {
    spoil()
    const { json, csv, conditional, other, atStart, errors } = await ask()
    const error = expect.stringMatching(/^The visits of this project are missing or damaged .* X-Request-Id /)
    for (const answer of [json, csv, conditional]) {
      expect(answer).toMatchObject({ status: 500, json: { error, details: [{ message: error }] } })
      expect(answer.headers['x-request-id']).toMatch(/./)
    }
    expect(other).toMatchObject({ status: 200, json: { totals: { total: 0 } } })
    expect(atStart).toEqual([expect.objectContaining({ projectId, file, msg: expect.stringContaining(why) })])
    const requests = errors.filter(({ requestId }) => requestId === json.headers['x-request-id'])
    expect(requests).toEqual([
      expect.objectContaining({ err: expect.objectContaining({ message: expect.stringContaining(file) }) }),
    ])
  },
)

describe.each(spoilers)('visits in a file that is %s', (name, inBackup, spoil) => {
  test('are counted by nobody, and reported', async () => {
    spoil()
    expect(() => count()).toThrow(`Cannot use ${file}: it is `)
    expect((await importLine()).error).toMatch(`Cannot use ${file}: it is `)
    expect(() => count()).toThrow(`Cannot use ${file}: it is `)
    const store = openStore(data)
    const problem = name === 'missing' || name === 'not a database' ? name : 'empty'
    expect(store.visits.listLost()).toEqual([{ projectId, file, problem }])
    store.close()
  })

  test('are a failure of doctor and a warning of a backup', async () => {
    spoil()
    const findings = (await checkDatabases(data)).filter(({ level }) => level === 'failure')
    expect(findings).toEqual([
      expect.objectContaining({ message: expect.stringMatching(`^visits/${projectId}\\.db `) }),
    ])
    const { warnings } = await backUp()
    expect(warnings).toEqual([
      `visits/${projectId}.db is ${inBackup} in the data folder, but visits of the project were counted. Restore it from an earlier backup.`,
    ])
    expect(JSON.parse(readFileSync(join(folder, 'backup/manifest.json'), 'utf8')).warnings).toEqual(warnings)
  })

  test('can be restored, or given up with visits reset', async () => {
    const sound = readFileSync(file)
    spoil()
    const reset = await quire('reset', '--project', projectId, '--yes')
    if (name === 'not a database') {
      // It may be something that the operator needs.
      expect(reset.error).toContain('it is not a SQLite database. Move it away')
      rmSync(file)
      expect(() => count()).toThrow('it is missing')
      writeFileSync(file, sound)
      expect(count()).toBe(1)
      return
    }
    expect(reset.error).toBeUndefined()
    expect(count()).toBe(0)
    expect((await importLine()).error).toBeUndefined()
    expect(count()).toBe(1)
    rmSync(file)
    expect(() => count()).toThrow('it is missing')
  })
})

test('visits with a damaged page are a 500 with words, and a log line with the file', async () => {
  const bytes = readFileSync(file)
  // The first page has the schema, which stays readable.
  writeFileSync(file, bytes.fill(0xa5, 4096))
  const { json, errors } = await ask()
  expect(json).toMatchObject({ status: 500, json: { error: expect.stringContaining('missing or damaged') } })
  expect(JSON.stringify(errors)).toContain(`restore visits/${projectId}.db from a backup`)
})

test('an older version did not record who had visits: a file says so when the store is first opened', async () => {
  const old = new Database(join(data, 'quire.db'))
  old.exec(`ALTER TABLE projects DROP COLUMN has_visits; ALTER TABLE export_jobs DROP COLUMN bundle_damage;
    ALTER TABLE export_jobs DROP COLUMN faults; DROP TABLE rate_limits;
    CREATE TABLE rate_limits (organization_id TEXT, budget TEXT, arrival_at INTEGER, stored_at INTEGER);
    ALTER TABLE sites DROP COLUMN allowed_origins; ALTER TABLE sites DROP COLUMN signing_key_id;
    ALTER TABLE sites DROP COLUMN signing_key; ALTER TABLE sites DROP COLUMN login_at; ALTER TABLE sites DROP COLUMN login;
    ALTER TABLE api_keys DROP COLUMN project_ids; ALTER TABLE api_keys DROP COLUMN allowed_addresses;
    ALTER TABLE projects DROP COLUMN visitor_rules; ALTER TABLE projects DROP COLUMN counting;
    ALTER TABLE agent_jobs DROP COLUMN changed_at; DROP TABLE agent_events; DROP TABLE agent_runs; DROP TABLE agent_sources; DROP TABLE site_schedules;
    ALTER TABLE export_jobs DROP COLUMN changes;
    DROP TABLE webhook_deliveries; DROP TABLE webhooks;
    DROP TABLE sessions; DROP TABLE sign_in_links; DROP TABLE people; DROP TABLE audit_events;
    PRAGMA user_version = 8`)
  old.close()
  expect(count()).toBe(1)
  rmSync(file)
  expect(() => count()).toThrow('it is missing')
  expect(count(otherId)).toBe(0)
})

test('doctor knows an empty file of an older version for a loss', async () => {
  const old = new Database(join(data, 'quire.db'))
  old.exec('UPDATE projects SET has_visits = NULL')
  old.close()
  truncateSync(file, 0)
  expect(await checkDatabases(data)).toContainEqual(
    expect.objectContaining({ level: 'failure', message: expect.stringContaining('is empty, but visits') }),
  )
})

test('nothing is said about a project that never had visits, and no file is created for it', async () => {
  expect((await ask()).errors).toEqual([])
  expect((await backUp()).warnings).toEqual([])
  expect((await checkDatabases(data)).filter(({ level }) => level !== 'ok')).toEqual([])
  expect(existsSync(join(data, 'visits', `${otherId}.db`))).toBe(false)
})
