import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openStore, type Store } from '../../server/store/store.ts'
import { toAddress } from '../analytics/follow/numbered-lines.ts'
import { RotatingWriter } from '../analytics/follow/rotating-writer.ts'
import { send } from '../support/client.ts'
import { waitFor } from '../support/export-site.ts'
import { runQuire, type ServeProcess, startServe } from '../support/process.ts'
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

function serve(...followed: string[]): Promise<ServeProcess> {
  const follows = followed.flatMap(each => ['--follow-log', each])
  return startServe(['--data', join(folder, 'data'), '--follow-grace-seconds', '1', ...follows])
}

test('a server follows a log through a rotation and its own restart, and answers with its visitors', async () => {
  const { organizationId, projectId } = await createOrganization(store)
  const { key } = await createApiKey(store, organizationId)
  const ask = async () => {
    const path = `/v1/analytics/${projectId}/visitors?limit=1`
    const { json } = await send(server?.url ?? '', path, { headers: { Authorization: `Bearer ${key}` } })
    return (json.totals as { total: number }).total
  }
  const unknown = 'prj_0000000000000000'
  const writer = new RotatingWriter(log, { linesPerSecond: 500 })
  server = await serve(`${log}=${projectId},${join(folder, 'other.log')}=${unknown}`)
  await waitFor(async () => ((await ask()) > 0 ? true : undefined))
  await writer.rotate('rename')
  expect(await server.end('SIGTERM')).toBe(0)
  const output = server.output()
  await setTimeout(300)
  server = await serve(`${log}=${projectId}`)
  await setTimeout(300)
  const written = await writer.stop()
  await waitFor(async () => ((await ask()) === written ? true : undefined))
  expect(await server.end('SIGTERM')).toBe(0)

  const lines = output.trim().split('\n')
  const said = lines.map(line => JSON.parse(line) as { msg: string; log?: string; err?: { message: string } })
  expect(said).toContainEqual(expect.objectContaining({ msg: 'following a log', log, projectId }))
  expect(said.find(({ err }) => err)).toMatchObject({
    level: 50,
    log: join(folder, 'other.log'),
    err: { message: `There is no project ${unknown}. See: quire projects list` },
    msg: 'a log is not followed; the next try is in 1 s',
  })
  // A sentence for the operator, and no stack at each try.
  expect(output).not.toContain('follow-worker.ts')
  expect(output + server.output()).not.toContain(toAddress(1))
})

test.each([
  [['--follow-log', 'access.log'], /--follow-log <path=project>.*Write PATH=PROJECT/s],
  [['--follow-log', '/a=prj_1', '--follow-log', '/a=prj_1'], /\/a is there twice/],
  [['--follow-format', 'json'], /^--follow-format json needs --follow-json-fields/],
])('refuses %s', async (args, message) => {
  const refused = await runQuire(['serve', '--port', '0', '--data', join(folder, 'data'), ...args])
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(message) })
})
