import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { runCommand } from '../../../spec/package/report/command.ts'
import { useExtensionsServer } from '../../support/extensions-server.ts'

const used = useExtensionsServer()
const open: Server[] = []
afterEach(() => {
  for (const server of open.splice(0)) server.close()
})

const github = {
  GITHUB_ACTIONS: 'true',
  GITHUB_SERVER_URL: 'https://github.com',
  GITHUB_REPOSITORY: 'acme/docs',
  GITHUB_REF: 'refs/pull/42/merge',
  GITHUB_HEAD_REF: 'agent/guide',
}
let count = 0

/** Runs the command as a job of GitHub Actions, with a new id unless one is given. */
async function run(args: string[], env: Record<string, string | undefined> = {}) {
  const written = { out: '', error: '' }
  const code = await runCommand({
    args,
    env: {
      PATH: process.env.PATH,
      ...github,
      GITHUB_RUN_ID: String(++count),
      QUIRE_URL: used.server.url,
      QUIRE_PROJECT: used.projectId,
      QUIRE_API_KEY: used.keys.ingest,
      ...env,
    },
    print: text => {
      written.out += text
    },
    printError: text => {
      written.error += text
    },
    forMs: 0,
  })
  const { json } = await used.ask('GET', `/v2/agent/${used.projectId}/job/${env.QUIRE_JOB_ID ?? `run-${count}`}`)
  return { code, ...written, job: json }
}

const exits = (code: number) => ['run', '--', process.execPath, '-e', `process.exit(${code})`]

test('start and complete report a job, with what the CI knows', async () => {
  const id = { QUIRE_JOB_ID: 'one' }
  const started = await run(['start', '--model', 'writer-2'], id)
  expect(started).toMatchObject({
    code: 0,
    out: 'one is active.\n',
    error: '',
    job: { status: 'active', prLink: null },
  })
  const source = { repository: 'https://github.com/acme/docs', ref: 'agent/guide' }
  expect(started.job).toMatchObject({ model: 'writer-2', source })
  const { code, job } = await run(['complete', '--json'], id)
  expect({ code, job }).toMatchObject({
    code: 0,
    job: { status: 'completed', prLink: 'https://github.com/acme/docs/pull/42', source },
  })
  expect(await run(['fail'], id)).toMatchObject({ code: 1, error: expect.stringContaining('409') })
})

describe('run', () => {
  test('reports completed if the command succeeds, and failed with its exit code otherwise', async () => {
    expect(await run(exits(0))).toMatchObject({ code: 0, error: '', job: { status: 'completed' } })
    expect(await run(exits(7))).toMatchObject({ code: 7, error: '', job: { status: 'failed', prLink: null } })
  })

  test('reports the link that the command wrote, and gives it no key', async () => {
    const script =
      'require("fs").writeFileSync(process.env.QUIRE_PR_LINK_FILE, "https://github.com/acme/docs/pull/50\\n"); process.exit("QUIRE_API_KEY" in process.env ? 1 : 0)'
    const { code, job } = await run(['run', '--', process.execPath, '-e', script])
    expect({ code, job }).toMatchObject({ code: 0, job: { prLink: 'https://github.com/acme/docs/pull/50' } })
  })

  test('reports completed without a link if the command wrote something else', async () => {
    const script = 'require("fs").writeFileSync(process.env.QUIRE_PR_LINK_FILE, "Created #50")'
    expect(await run(['run', '--', process.execPath, '-e', script])).toMatchObject({
      code: 0,
      error: expect.stringContaining('QUIRE_PR_LINK_FILE must contain one URL'),
      job: { status: 'completed' },
    })
  })

  test('a command that is not found is a failure, and one that is killed too', async () => {
    expect(await run(['run', '--', 'no-such-command'])).toMatchObject({
      code: 127,
      error: expect.stringContaining('no-such-command cannot be started'),
      job: { status: 'failed' },
    })
    const killed = await run(['run', '--', process.execPath, '-e', 'process.kill(process.pid, "SIGKILL")'])
    expect(killed).toMatchObject({ code: 137, job: { status: 'failed' } })
  })

  test('a report that does not arrive is a warning, and fails the run only with --strict', async () => {
    const away = { QUIRE_URL: 'http://127.0.0.1:9' }
    const warned = await run(exits(0), away)
    expect(warned).toMatchObject({ code: 0, error: expect.stringContaining('did not answer') })
    expect((await run(['run', '--strict', ...exits(0).slice(1)], away)).code).toBe(1)
    expect((await run(exits(3), away)).code).toBe(3)
  })
})

describe('a key', () => {
  test('that is wrong is told with the remedy, and never shown', async () => {
    const key = 'quire_wrong_secret_key'
    const { code, out, error } = await run(['start'], { QUIRE_API_KEY: key })
    expect({ code, error }).toEqual({ code: 1, error: expect.stringMatching(/401.*quire keys create/) })
    expect(out + error).not.toContain(key)
  })

  test('that cannot be a header is not shown either', async () => {
    const { code, out, error } = await run(['start'], { QUIRE_API_KEY: 'quire_secret\nquire_second' })
    expect({ code, error }).toEqual({ code: 2, error: expect.stringContaining('character that no key has') })
    expect(out + error).not.toMatch(/secret|second/)
  })

  test('can come from a file, with a line break at its end', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quire-key-'))
    const file = join(folder, 'key')
    writeFileSync(file, `${used.keys.ingest}\n`)
    expect((await run(['start', '--key-file', file], { QUIRE_API_KEY: undefined })).job).toMatchObject({
      status: 'active',
    })
    rmSync(folder, { recursive: true })
    expect(await run(['start', '--key-file', file])).toMatchObject({
      code: 2,
      error: expect.stringContaining(`--key-file ${file} cannot be read`),
    })
  })

  test('that a job of a fork does not get is a warning of run, unless --strict', async () => {
    const none = { QUIRE_API_KEY: '' }
    expect(await run(exits(3), none)).toMatchObject({
      code: 3,
      error: expect.stringContaining('QUIRE_API_KEY is empty'),
    })
    expect(await run(['run', '--strict', ...exits(0).slice(1)], none)).toMatchObject({ code: 2 })
  })
})

test('an address that is not that of Quire is told', async () => {
  const server = createServer((_, res) => res.end('<h1>Welcome</h1>'))
  open.push(server)
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const QUIRE_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  expect(await run(['start'], { QUIRE_URL })).toMatchObject({
    code: 1,
    error: expect.stringContaining('perhaps not Quire. Check --url'),
  })
})

test('a busy server is asked again, with the same report', async () => {
  const bodies: string[] = []
  const server = createServer((req, res) => {
    let body = ''
    req.on('data', chunk => {
      body += chunk
    })
    req.on('end', () => {
      bodies.push(body)
      const isBusy = bodies.length < 3
      res.writeHead(isBusy ? 503 : 201, { 'Retry-After': '0', 'Content-Type': 'application/json' })
      res.end(isBusy ? '{"error":"busy"}' : '{"status":"active"}')
    })
  })
  open.push(server)
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const QUIRE_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const out: string[] = []
  const code = await runCommand({
    args: ['start', '--id', 'x'],
    env: { QUIRE_URL, QUIRE_PROJECT: 'p', QUIRE_API_KEY: 'k', QUIRE_REPOSITORY: 'https://github.com/acme/docs' },
    print: text => out.push(text),
    printError: text => out.push(text),
  })
  expect({ code, out }).toEqual({ code: 0, out: ['x is active.\n'] })
  expect(new Set(bodies).size).toBe(1)
  expect(bodies).toHaveLength(3)
})

test.each([
  [[], /A verb is missing/],
  [['begin'], /begin is not a verb/],
  [['start', '--key', 'x'], /--key/],
  [['start', 'now'], /one word too many/],
  [['run'], /The command is missing/],
  [['start', '--url', 'quire.example.com'], /--url must begin with http/],
  [['start', '--url', 'https://me:secret@quire.example.com'], /^--url must begin with http(?!.*secret)/],
  [['start', '--pr-link', 'https://github.com/acme/docs/pull/42'], /--pr-link belongs to complete and run/],
  [['complete', '--pr-link', '42'], /--pr-link must be a URL/],
])('%j is wrong usage', async (args, error) => {
  expect(await run(args)).toMatchObject({ code: 2, error: expect.stringMatching(error) })
})

test('what is missing is named', async () => {
  expect((await run(['start'], { QUIRE_API_KEY: '' })).error).toContain('QUIRE_API_KEY is missing')
  const away = { GITHUB_ACTIONS: undefined }
  expect((await run(['complete'], away)).error).toContain('--id or QUIRE_JOB_ID is missing')
  expect((await run(['start'], away)).error).toContain('--repository or QUIRE_REPOSITORY is missing')
  expect((await run(['--help'])).out).toContain('Usage: quire-report')
})
