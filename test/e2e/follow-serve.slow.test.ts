import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openStore, type Store } from '../../server/store/store.ts'
import { toAddress, toLine } from '../analytics/follow/numbered-lines.ts'
import { RotatingWriter } from '../analytics/follow/rotating-writer.ts'
import { send } from '../support/client.ts'
import { waitFor } from '../support/export-site.ts'
import { calledAs, runQuire, type ServeProcess, startServe } from '../support/process.ts'
import { createApiKey, createOrganization } from '../support/server.ts'

let folder: string
let log: string
let store: Store
let server: ServeProcess | undefined

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-follow-serve-'))
  log = join(folder, 'access.log')
  store = openStore(join(folder, 'data'))
})
afterEach(() => {
  server?.child.kill('SIGKILL')
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

function serve(...flags: string[]): Promise<ServeProcess> {
  return startServe(['--data', join(folder, 'data'), '--follow-grace-seconds', '1', ...flags])
}

function readLogged(output: string): { msg: string; log?: string; err?: { message: string } }[] {
  return output
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
}

test('a server follows a log through a rotation and its own restart, and answers with its visitors', async () => {
  const { organizationId, projectId } = await createOrganization(store)
  const { key } = await createApiKey(store, organizationId)
  const ask = async () => {
    const path = `/v1/analytics/${projectId}/visitors?limit=1`
    const { json } = await send(server?.url ?? '', path, { headers: { Authorization: `Bearer ${key}` } })
    return (json.totals as { total: number }).total
  }
  const writer = new RotatingWriter(log, { linesPerSecond: 500 })
  server = await serve('--follow-log', `${log}=${projectId}`)
  await waitFor(async () => ((await ask()) > 0 ? true : undefined))
  await writer.rotate('rename')
  expect(await server.end('SIGTERM')).toBe(0)
  const output = server.output()
  await setTimeout(300)
  server = await serve('--follow-log', `${log}=${projectId}`)
  await setTimeout(300)
  const written = await writer.stop()
  await waitFor(async () => ((await ask()) === written ? true : undefined))
  expect(await server.end('SIGTERM')).toBe(0)

  expect(readLogged(output)).toContainEqual(expect.objectContaining({ msg: 'following a log', log, projectId }))
  expect(output + server.output()).not.toContain(toAddress(1))
})

test('a server follows a log of many sites for the projects of its hosts', async () => {
  const { projectId } = await createOrganization(store)
  store.sites.insert({ domain: 'docs.example', projectId, origin: null, createdAt: 0 })
  server = await serve('--follow-log-by-host', log)
  const ofAgent = toLine(3).replace(/"Mozilla[^"]*"/, '"GPTBot/1.3"')
  const lines = [`docs.example ${toLine(0)}`, `other.example ${toLine(1)}`, `docs.example:443 ${toLine(2)}`]
  writeFileSync(log, `${lines.join('')}docs.example ${ofAgent}`)
  await waitFor(async () => {
    const { totals } = await store.visits.countUniqueVisitors(projectId, {}, { limit: 1, offset: 0 })
    return totals.total === 3 ? true : undefined
  })
  expect([...(await store.visits.countLabels(projectId, {}))]).toEqual([
    ['agent:GPTBot', 1],
    ['class:training', 1],
  ])
  expect(await server.end('SIGTERM')).toBe(0)
  expect(readLogged(server.output())).toContainEqual(expect.objectContaining({ msg: 'following a log', log }))
})

test('an error after the start is logged without a stack trace, with the time of the next try', async () => {
  const { projectId } = await createOrganization(store)
  server = await serve('--follow-log', `${log}=${projectId}`, '--follow-client-field', 'X-Forwarded-For')
  await setTimeout(300)
  appendFileSync(log, toLine(0))
  const running = server
  await waitFor(async () => (running.output().includes('a log cannot be followed') ? true : undefined))
  expect(await server.end('SIGTERM')).toBe(0)
  expect(readLogged(server.output()).find(({ err }) => err)).toMatchObject({
    level: 50,
    log,
    err: {
      message:
        '--follow-client-field X-Forwarded-For is not valid for this format. Give the position of the field after the user agent (1 = the first), or the word "last".',
    },
    msg: 'a log cannot be followed; the next try is in 1 s',
  })
  expect(server.output()).not.toContain('follow-logs-worker.ts')
})

describe('before it listens', () => {
  const serveOnce = (...args: string[]) => runQuire(['serve', '--port', '0', '--data', join(folder, 'data'), ...args])

  test.each([
    ['a flag without a project', ['--follow-log', 'access.log'], /--follow-log <path=project>.*Write PATH=PROJECT/s],
    ['a log twice', ['--follow-log', '/a=prj_1', '--follow-log', '/a=prj_1'], /\/a is given twice/],
    ['missing fields', ['--follow-format', 'json'], /^--follow-format json needs --follow-json-fields/],
  ])('refuses %s', async (_, args, message) => {
    expect(await serveOnce(...args)).toMatchObject({ code: 2, stderr: expect.stringMatching(message) })
  })

  const clientField = ['--follow-client-field', 'X-Forwarded-For']
  const invalidField =
    'is not valid for this format. Give the position of the field after the user agent (1 = the first), or the word "last".'
  test.each([
    ['a missing project', 'LOG=prj_9', [], `There is no project prj_9. See: ${calledAs} projects list`],
    ['a folder', 'FOLDER=PROJECT', [], 'FOLDER is a folder. Give the log files in it: FOLDER/*.log*'],
    [
      'a compressed log',
      'LOG.gz=PROJECT',
      [],
      `LOG.gz is compressed, so it never grows. Use: ${calledAs} visits import`,
    ],
    [
      'a client field that the format does not have',
      'LOG=PROJECT',
      ['--follow-format', 'cloudfront', ...clientField],
      '--follow-client-field X-Forwarded-For is unknown. CloudFront has x-forwarded-for and c-ip.',
    ],
    [
      'a client field that the first lines do not have',
      'WRITTEN=PROJECT',
      clientField,
      `--follow-client-field X-Forwarded-For ${invalidField}`,
    ],
  ])('refuses %s in one sentence', async (_, followed, more, message) => {
    const { projectId } = await createOrganization(store)
    const written = join(folder, 'written.log')
    writeFileSync(written, toLine(0))
    const toOwn = (text: string) =>
      text
        .replaceAll('WRITTEN', written)
        .replaceAll('LOG', log)
        .replaceAll('FOLDER', folder)
        .replaceAll('PROJECT', projectId)
    expect(await serveOnce('--follow-log', toOwn(followed), ...more)).toEqual({
      code: 2,
      stdout: '',
      stderr: `--follow-log ${toOwn(followed)}: ${toOwn(message)}\n`,
    })
  })
  test('refuses a log of several sites if no site is registered, and a format without hosts', async () => {
    const byHost = ['--follow-log-by-host', log]
    expect(await serveOnce(...byHost)).toMatchObject({
      code: 2,
      stderr: `--follow-log-by-host ${log}: No site is registered, so hosts cannot be matched. Register one with: ${calledAs} sites create DOMAIN --project ID\n`,
    })
    const { projectId } = await createOrganization(store)
    store.sites.insert({ domain: 'docs.example', projectId, origin: null, createdAt: 0 })
    expect(await serveOnce(...byHost, '--follow-format', 'combined')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^--follow-log-by-host .*: Lines in the format combined do not contain the host\./),
    })
  })
})
