import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { send } from '../support/client.ts'
import { startSite, waitFor } from '../support/export-site.ts'
import { runQuire, type ServeProcess, startServe } from '../support/process.ts'
import { isSignedBy, type Receiver, startReceiver } from '../webhooks/receiver.ts'

let dataFolder: string
let receiver: Receiver
let site: Awaited<ReturnType<typeof startSite>>
let server: ServeProcess
beforeAll(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), 'quire-webhooks-'))
  receiver = await startReceiver()
  site = await startSite(2)
})
afterAll(async () => {
  server?.child.kill('SIGKILL')
  await receiver.close()
  await site.close()
  await rm(dataFolder, { recursive: true, force: true })
})

async function quire(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runQuire([...args, '--data', dataFolder])
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  return stdout.trim()
}

const arrived = (type: string) =>
  waitFor(async () => receiver.received.find(({ body }) => JSON.parse(body).type === type))

test('what happens in a server and in commands arrives at the receiver, and the secret is nowhere in clear', async () => {
  const organizationId = await quire('orgs', 'create', 'Acme', '--plan', 'enterprise')
  const projectId = await quire('projects', 'create', 'Docs', '--org', organizationId)
  await quire('sites', 'create', 'docs.example.com', '--project', projectId, '--origin', site.url, '--no-probe')
  const key = await quire('keys', 'create', 'ci', '--org', organizationId, '--expires-in-days', '5')
  const refused = await runQuire(['webhooks', 'create', receiver.url, '--org', 'Acme', '--data', dataFolder])
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--webhook-allow-private')])
  const allow = ['--webhook-allow-private', '127.0.0.1']
  const webhook = JSON.parse(await quire('webhooks', 'create', receiver.url, '--org', 'Acme', ...allow, '--json'))
  expect(webhook).toMatchObject({ id: expect.stringMatching(/^wh_[0-9a-f]{16}$/), secret: expect.any(String) })

  server = await startServe(['--data', dataFolder, '--verify', 'static', '--log-level', 'trace', ...allow])
  const expiring = await arrived('key.expiring')
  expect(JSON.parse(expiring.body).data).toMatchObject({ name: 'ci', last4: key.slice(-4) })

  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  const body = '{"domain":"docs.example.com"}'
  const { json: job } = await send(server.url, '/v1/static-export/jobs', { method: 'POST', headers, body })
  const completed = await arrived('export.completed')
  const { json: answered } = await send(server.url, `/v1/static-export/jobs/${job.jobId}`, { headers })
  expect(JSON.parse(completed.body).data).toEqual(answered)

  const agentJob = ['--repository', 'https://git.example.com/acme/docs', '--model', 'writer-2', '--id', 'aj_1']
  await quire('agent-jobs', 'create', '--project', projectId, ...agentJob)
  await quire('agent-jobs', 'complete', 'aj_1', '--project', projectId)
  const updated = await arrived('agent_job.updated')
  const { json: agentAnswer } = await send(server.url, `/v2/agent/${projectId}/job/aj_1`, { headers })
  expect(JSON.parse(updated.body).data).toEqual({ projectId, ...agentAnswer })

  const rotated = await quire('webhooks', 'rotate', webhook.id)
  await quire('webhooks', 'test', webhook.id)
  const tested = await arrived('webhook.test')
  expect([isSignedBy(webhook.secret, tested), isSignedBy(rotated, tested)]).toEqual([true, true])
  for (const got of receiver.received) expect(isSignedBy(webhook.secret, got)).toBe(true)

  const listed = await waitFor(async () => {
    const rows = JSON.parse(await quire('webhooks', 'deliveries', webhook.id, '--status', 'delivered', '--json'))
    return rows.length === 4 ? rows : undefined
  })
  expect(listed[0]).toMatchObject({ type: 'webhook.test', attempts: 1, responseStatus: 204, nextAttemptAt: null })
  expect(await quire('webhooks', 'list', '--org', 'Acme')).toContain('enabled')
  const files = (await readdir(dataFolder)).filter(name => /\.(db|db-wal|key)$/.test(name))
  expect(files).toContain('webhook.key')
  const written = [
    server.output(),
    ...(await Promise.all(files.map(name => readFile(join(dataFolder, name), 'latin1')))),
  ]
  for (const secret of [webhook.secret, rotated]) expect(written.join('')).not.toContain(secret.slice('whsec_'.length))
  await quire('webhooks', 'delete', webhook.id)
  expect(await quire('audit', '--json')).toContain('webhook.deleted')
})
