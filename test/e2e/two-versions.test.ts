import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { releases } from '../../server/store/releases.ts'
import { type LaterVersion, makeLaterVersion } from '../support/later-version.ts'
import { createTestDatabase, findPostgres, type TestDatabase } from '../support/postgres/test-database.ts'
import { runQuire, startServe } from '../support/process.ts'
import { runProgram, startProgram } from '../support/program.ts'

const found = await findPostgres()
const skipped = 'missing' in found ? `, skipped: ${found.missing}` : ''
const last = releases.at(-1)
const version = last?.version ?? ''
const schema = last?.main ?? 0

/** What this version reads with all columns, and a table that it does not know. */
const columns = ['projects', 'export_jobs', 'people', 'webhook_deliveries', 'sites', 'api_keys']
  .map(table => `ALTER TABLE ${table} ADD COLUMN later TEXT;`)
  .join('\n')
const usable = `-- Usable from 0${schema}: the columns may be empty.\n${columns}\nCREATE TABLE later (id TEXT PRIMARY KEY);\n`
const breaking = `${columns}\nDROP TABLE sign_in_links;\n`

let expanding: LaterVersion
let contracting: LaterVersion
beforeAll(() => {
  expanding = makeLaterVersion(usable)
  contracting = makeLaterVersion(breaking)
})
afterAll(() => {
  expanding?.remove()
  contracting?.remove()
})
let folder: string
beforeEach(context => {
  folder = mkdtempSync(join(tmpdir(), 'quire-two-versions-'))
  context.onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
})

const runLater = (later: LaterVersion, args: readonly string[]) => runProgram([later.main, ...args])

async function startLater(later: LaterVersion, args: readonly string[]) {
  const program = startProgram([later.main, 'serve', '--port', '0', '--drain-seconds', '0', ...args])
  const url = await program.read(output => /"url":"([^"]+)"/.exec(output)?.[1])
  return Object.assign(program, { url })
}

/** Creates what a client needs. */
async function init(store: readonly string[]) {
  const created = await runQuire(['init', '--yes', '--json', '--site', 'docs.example.com', ...store])
  expect({ code: created.code, stderr: created.stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(created.stdout) as { project: { id: string }; key: { key: string } }
}

/** Reads and writes through the API of a server. Returns the statuses. */
async function work(url: string, { project, key }: Awaited<ReturnType<typeof init>>, name: string): Promise<number[]> {
  const headers = { Authorization: `Bearer ${key.key}`, 'Content-Type': 'application/json' }
  const job = `${url}/quire/v1/projects/${project.id}/agent-jobs/${name}`
  const source = { repository: 'https://github.com/acme/docs', ref: 'main' }
  const body = JSON.stringify({ status: 'active', source, model: 'writer-2' })
  const start = JSON.stringify({ domain: 'docs.example.com' })
  const answers = [
    await fetch(job, { method: 'PUT', headers, body }),
    await fetch(`${url}/v2/agent/${project.id}/job/${name}`, { headers }),
    await fetch(`${url}/v1/analytics/${project.id}/visitors?limit=3`, { headers }),
    await fetch(`${url}/v1/static-export/jobs`, { method: 'POST', headers, body: start }),
    await fetch(`${url}/readyz`),
  ]
  return answers.map(({ status }) => status)
}
const allDone = [201, 200, 200, 202, 200]

test('a data folder that a later version has upgraded is used by this one, which goes back by itself', async () => {
  const store = ['--data', join(folder, 'data')]
  const made = await init(store)
  const check = await runLater(expanding, ['upgrade', '--check', ...store])
  expect(check.stdout).toContain('The version before can still use it afterwards.')
  expect(await runLater(expanding, ['upgrade', ...store])).toMatchObject({ code: 0 })
  const server = await startServe(store)
  expect(await work(server.url, made, 'run-1')).toEqual(allDone)
  expect(await server.end('SIGTERM')).toBe(0)
  const backup = join(folder, 'backup.tar')
  expect(await runQuire(['backup', backup, ...store])).toMatchObject({ code: 0 })
  expect(await runQuire(['restore', backup, '--check'])).toMatchObject({ code: 0 })
  const doctor = JSON.parse((await runQuire(['doctor', '--json', ...store])).stdout)
  const message = `quire.db is sound, schema ${schema + 1} of a newer Quire, which this one can use.`
  expect(doctor.findings).toContainEqual({ check: 'databases', level: 'ok', message, remedy: null })
  const later = await startLater(expanding, store)
  expect(await work(later.url, made, 'run-2')).toEqual(allDone)
  await later.end('SIGTERM')
  const back = await runLater(expanding, ['downgrade', '--to', version, ...store])
  expect(back.code).toBe(0)
  expect(back.stdout).toBe(`quire.db (schema ${schema + 1}) can be used by ${version} as it is.\n`)
})

/** What the commands list of each noun. */
async function listAll(store: readonly string[]): Promise<string[]> {
  const project = ['--project', 'Documentation']
  const commands = [
    ...['orgs', 'projects', 'sites', 'keys', 'exports', 'webhooks'].map(noun => [noun, 'list']),
    ...[['dashboard', 'people'], ['audit'], ['agent-jobs', 'list', ...project]],
    ['visits', 'show', ...project, '--from', '2026-11-01', '--to', '2026-11-20'],
  ]
  const listed = await Promise.all(commands.map(command => runQuire([...command, '--json', ...store])))
  expect(listed.map(({ code, stderr }) => [code, stderr])).toEqual(commands.map(() => [0, '']))
  return listed.map(({ stdout }) => stdout)
}

test('what this version stored of each noun is the same for it after the upgrade by a later one', async () => {
  const data = join(folder, 'data')
  cpSync(join(import.meta.dirname, `../store/schemas/main-${schema}-visits-${last?.visits}`), data, { recursive: true })
  for (const packed of globSync('**/*.gz', { cwd: data })) {
    writeFileSync(join(data, packed.slice(0, -'.gz'.length)), gunzipSync(readFileSync(join(data, packed))))
    rmSync(join(data, packed))
  }
  const store = ['--data', data]
  const hook = ['webhooks', 'create', 'https://93.184.216.34/hook', '--org', 'Demo', '--events', 'export.completed']
  expect(await runQuire([...hook, ...store])).toMatchObject({ code: 0 })
  const before = await listAll(store)
  expect(await runLater(expanding, ['upgrade', ...store])).toMatchObject({ code: 0 })
  expect(await listAll(store)).toEqual(before)
})

test('what this version cannot use is refused in words, and downgrade goes back to the copy', async () => {
  const store = ['--data', join(folder, 'data')]
  const made = await init(store)
  const check = await runLater(contracting, ['upgrade', '--check', ...store])
  expect(check.stdout).toContain('The version before cannot use it afterwards.')
  const later = await startLater(contracting, store)
  expect(await work(later.url, made, 'run-1')).toEqual(allDone)
  await later.end('SIGTERM')
  const refused = await runQuire(['serve', '--port', '0', ...store])
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('it was written by a newer Quire') })

  const asked = await runLater(contracting, ['downgrade', '--to', version, ...store])
  expect(asked).toMatchObject({ code: 1, stderr: 'Confirm with --yes.\n' })
  expect(asked.stdout).toMatch(/^quire\.db will be replaced by .*\. This loses what is newer: .*1 row of agent_jobs/)
  const done = await runLater(contracting, ['downgrade', '--to', version, '--yes', '--json', ...store])
  expect(done.code).toBe(0)
  expect(JSON.parse(done.stdout)).toMatchObject({ downgraded: true, databases: [{ fate: 'replaced' }] })
  const server = await startServe(store)
  expect(await work(server.url, made, 'run-1')).toEqual(allDone)
  await server.end('SIGTERM')
})

test('downgrade names the versions that it knows', async () => {
  const { code, stderr } = await runQuire(['downgrade', '--to', '0.0.1', '--data', folder])
  expect([code, stderr]).toEqual([2, `--to 0.0.1 is not a version that this one knows. It knows ${version}.\n`])
})

describe.skipIf('missing' in found)(`on PostgreSQL${skipped}`, () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createTestDatabase((found as { url: string }).url)
  })
  afterAll(() => database?.drop())
  beforeEach(() => database.clear())

  const storeOf = (name: string) => ['--data', join(folder, name), '--database', database.url]

  test('servers of two versions share a database, and the earlier one starts again', async () => {
    const made = await init(storeOf('a'))
    const running = await startServe(storeOf('a'))
    expect(await work(running.url, made, 'run-1')).toEqual(allDone)
    const check = await runLater(expanding, ['upgrade', '--check', ...storeOf('b')])
    expect(check.stdout).toContain('The version before can still use it afterwards.')
    const later = await startLater(expanding, storeOf('a'))
    const again = await startServe(storeOf('a'))
    for (const [index, { url }] of [running, later, again, running].entries()) {
      expect([index, await work(url, made, `run-2-${index}`)]).toEqual([index, allDone])
    }
    const back = await runLater(expanding, ['downgrade', '--to', version, ...storeOf('b')])
    expect([back.code, back.stdout]).toEqual([0, expect.stringContaining(`can be used by ${version} as it is.`)])
    for (const server of [running, later, again]) await server.end('SIGTERM')
  })

  test('after a step that takes something away, the earlier version is refused in words', async () => {
    await init(storeOf('a'))
    expect(await runLater(contracting, ['upgrade', ...storeOf('b')])).toMatchObject({ code: 0 })
    const refused = await runQuire(['serve', '--port', '0', ...storeOf('a')])
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('it was written by a newer Quire') })
    const back = await runLater(contracting, ['downgrade', '--to', version, ...storeOf('b')])
    expect(back).toMatchObject({ code: 1, stderr: expect.stringContaining('Restore a dump of before the upgrade.') })
  })
})
