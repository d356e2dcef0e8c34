import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openStore, type SqliteStore } from '../../server/store/store.ts'
import { openSecretBox } from '../../server/store/webhook-keys.ts'
import { parseAllowedPrivate } from '../../server/webhooks/allowed-private.ts'
import { type Deliverer, type DelivererDeps, startDeliverer } from '../../server/webhooks/deliverer.ts'
import { issueSecret, issueWebhook } from '../../server/webhooks/issue-webhook.ts'
import type { Delivery, SecretBox } from '../../server/webhooks/webhook.ts'
import { type Answer, isSignedBy, type Receiver, startReceiver } from './receiver.ts'

const local = parseAllowedPrivate('127.0.0.0/8') ?? { names: [], ranges: [] }
let folder: string
let store: SqliteStore
let secrets: SecretBox
let deliverer: Deliverer | undefined
let receiver: Receiver
/** Added to the clock, so that a retry need not be waited for. */
let aheadMs: number

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-deliverer-'))
  store = openStore(folder)
  secrets = openSecretBox(folder, undefined)
  aheadMs = 0
  const createdAt = Date.now()
  store.organizations.insert({ id: 'org_1', name: 'Acme', plan: 'enterprise', createdAt })
  store.projects.insert({
    id: 'prj_1',
    organizationId: 'org_1',
    name: 'Docs',
    visitorSaltRotation: 'never',
    visitorRules: 2,
    createdAt,
  })
})
afterEach(async () => {
  await deliverer?.stop()
  await receiver?.close()
  store.close()
  rmSync(folder, { recursive: true })
})

const now = () => Date.now() + aheadMs
const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() }

function start(given: Partial<DelivererDeps> = {}): Deliverer {
  deliverer = startDeliverer({
    ...store,
    secrets,
    allowed: local,
    timeoutMs: 2000,
    leaseMs: 60_000,
    now,
    random: () => 0.5,
    log,
    ...given,
  })
  return deliverer
}

async function prepare(answer?: Answer, url?: (receiver: Receiver) => string) {
  receiver = await startReceiver(answer)
  const given = { organizationId: 'org_1', url: url?.(receiver) ?? receiver.url, createdAt: Date.now() }
  const anywhere = parseAllowedPrivate('127.0.0.0/8,localhost,a.example') ?? local
  const issued = issueWebhook({ ...given, events: ['agent_job.updated'] }, { secrets, allowed: anywhere })
  store.webhooks.insert(issued.webhook, issued.sealedSecret)
  const enqueue = () => store.webhookDeliveries.enqueueTest(issued.webhook.id, now()) as Delivery
  return { webhookId: issued.webhook.id, secret: issued.secret, enqueue }
}

const list = async (webhookId: string) => store.webhookDeliveries.list(webhookId, { limit: 9 })
const find = async (webhookId: string) => (await list(webhookId))[0] as Delivery

/** Waits until the last delivery has an attempt behind it. */
async function settle(webhookId: string): Promise<Delivery> {
  await expect
    .poll(async () => {
      const { status, responseStatus, error } = await find(webhookId)
      return status !== 'pending' || responseStatus !== null || error !== null
    })
    .toBe(true)
  return find(webhookId)
}

test('a delivery arrives at once after a wake, signed, with the type and the bytes of the event', async () => {
  const { webhookId, secret, enqueue } = await prepare()
  const { wake } = start()
  await new Promise(done => setTimeout(done, 50))
  const enqueuedAt = Date.now()
  const { id } = enqueue()
  wake()
  expect(await settle(webhookId)).toMatchObject({
    id,
    status: 'delivered',
    responseStatus: 204,
    error: null,
    attempts: 1,
  })
  const [got] = receiver.received
  expect((got?.at ?? 0) - enqueuedAt).toBeLessThan(1500)
  expect(JSON.parse(got?.body ?? '')).toMatchObject({ type: 'webhook.test', data: { webhookId } })
  expect(got?.headers).toMatchObject({ 'webhook-id': id, 'content-type': 'application/json' })
  expect(Number(got?.headers['webhook-timestamp'])).toBeCloseTo(Date.now() / 1000, -1)
  expect(got && isSignedBy(secret, got)).toBe(true)
})

test('after 500, it is tried again after 5 seconds with the same id and body, and a new timestamp', async () => {
  const { webhookId, enqueue } = await prepare((_, response, count) => {
    response.writeHead(count === 1 ? 500 : 200).end('details of the receiver')
  })
  enqueue()
  const { wake } = start()
  const failed = await settle(webhookId)
  expect(failed).toMatchObject({ status: 'pending', responseStatus: 500, error: 'The receiver answered 500.' })
  expect((failed.nextAttemptAt ?? 0) - (failed.lastAttemptAt ?? 0)).toBeGreaterThanOrEqual(5000)
  aheadMs = 6000
  wake()
  await expect
    .poll(() => find(webhookId))
    .toMatchObject({ status: 'delivered', attempts: 2, responseStatus: 200, error: null })
  const [first, second] = receiver.received
  expect([second?.id, second?.body]).toEqual([first?.id, first?.body])
  expect(second?.headers['webhook-timestamp']).not.toBe(first?.headers['webhook-timestamp'])
})

test('a redirect is not followed', async () => {
  const { webhookId, enqueue } = await prepare((_, response) => {
    response.writeHead(302, { location: receiver.url }).end()
  })
  enqueue()
  start()
  const { status, error } = await settle(webhookId)
  expect([status, error]).toEqual(['pending', expect.stringContaining('redirects are not followed')])
  expect(receiver.received).toHaveLength(1)
})

test('a receiver that does not answer in time has failed, and one that answers without end has not', async () => {
  const endless: Answer = ({ path }, response) => {
    if (path === '/slow') return
    response.writeHead(200)
    const writing = setInterval(() => response.write('x'.repeat(65_536)), 5)
    response.on('close', () => clearInterval(writing))
  }
  const { webhookId, enqueue } = await prepare(endless, ({ url }) => `${url}slow`)
  enqueue()
  start({ timeoutMs: 300 })
  expect((await settle(webhookId)).error).toMatch(
    /^The request failed: 127\.0\.0\.1:\d+ did not answer within the limit of 1 seconds\.$/,
  )
  const issued = issueWebhook(
    { organizationId: 'org_1', url: receiver.url, createdAt: 1, events: ['export.failed'] },
    { secrets, allowed: local },
  )
  store.webhooks.insert(issued.webhook, issued.sealedSecret)
  store.webhookDeliveries.enqueueTest(issued.webhook.id, now())
  deliverer?.wake()
  expect(await settle(issued.webhook.id)).toMatchObject({ status: 'delivered' })
})

test('410 disables the webhook and gives up what waits', async () => {
  const { webhookId, enqueue } = await prepare((_, response) => void response.writeHead(410).end())
  store.agentJobs.insert(job('aj_1'))
  store.agentJobs.update({ ...job('aj_1'), status: 'completed' }, 'active')
  store.agentJobs.update({ ...job('aj_1'), status: 'archived', archivedAt: Date.now() }, 'completed')
  start()
  await expect.poll(async () => (await store.webhooks.find(webhookId))?.disabledAt).not.toBeNull()
  const listed = await list(webhookId)
  expect(listed.map(({ status }) => status)).toEqual(['failed', 'failed'])
  expect(listed[0]?.error).toContain(`npx quire webhooks enable ${webhookId}`)
  expect(receiver.received).toHaveLength(1)
  expect(enqueue()).toBeUndefined()
})

test('a private address is refused when the connection is made, and nothing is sent', async () => {
  const { webhookId, enqueue } = await prepare(undefined, ({ url }) =>
    url.replace('http://127.0.0.1', 'https://a.example'),
  )
  enqueue()
  const lookup = ((_name: string, _options: object, callback: (...given: unknown[]) => void) =>
    callback(null, [{ address: '127.0.0.1', family: 4 }])) as never
  start({ allowed: { names: [], ranges: [] }, lookup })
  expect((await settle(webhookId)).error).toBe('The request failed: a.example is not a public address (loopback).')
  expect(receiver.received).toEqual([])
})

test('http to a host that is no longer allowed is refused', async () => {
  const { webhookId, enqueue } = await prepare()
  enqueue()
  start({ allowed: { names: [], ranges: [] } })
  expect((await settle(webhookId)).error).toContain('--webhook-allow-private')
  expect(receiver.received).toEqual([])
})

test('after a rotation, the old and the new secret verify for 24 hours, and then only the new one', async () => {
  const { webhookId, secret, enqueue } = await prepare()
  const rotated = issueSecret(webhookId, secrets)
  store.webhooks.rotateSecret(webhookId, rotated.sealedSecret, Date.now() + 1000 * 60)
  enqueue()
  start()
  await settle(webhookId)
  aheadMs = 61_000
  enqueue()
  deliverer?.wake()
  await settle(webhookId)
  const verified = receiver.received.map(got => [isSignedBy(secret, got), isSignedBy(rotated.secret, got)])
  expect(verified).toEqual([
    [true, true],
    [false, true],
  ])
})

const job = (id: string) => ({
  projectId: 'prj_1',
  id,
  status: 'active' as const,
  source: { repository: 'https://git.example.com/acme/docs', ref: null },
  model: 'writer-2',
  prLink: null,
  createdAt: Date.now(),
  archivedAt: null,
})

test('the events of one job arrive in order, although the first has to be sent again, and other jobs do not wait', async () => {
  const { webhookId } = await prepare(({ body }, response) => {
    const { id } = JSON.parse(body).data
    response.writeHead(id === 'aj_1' && aheadMs === 0 ? 503 : 200).end()
  })
  for (const id of ['aj_1', 'aj_2']) {
    store.agentJobs.insert(job(id))
    store.agentJobs.update({ ...job(id), status: 'failed' }, 'active')
    store.agentJobs.update({ ...job(id), status: 'archived', archivedAt: Date.now() }, 'failed')
  }
  start()
  const arrived = () =>
    receiver.received.map(({ body }) => {
      const { data } = JSON.parse(body)
      return `${data.id} ${data.status}`
    })
  await expect.poll(() => arrived().filter(text => text.startsWith('aj_2'))).toEqual(['aj_2 failed', 'aj_2 archived'])
  expect(arrived().filter(text => text.startsWith('aj_1'))).toEqual(['aj_1 failed'])
  aheadMs = 6000
  deliverer?.wake()
  await expect
    .poll(() => arrived().filter(text => text.startsWith('aj_1')))
    .toEqual(['aj_1 failed', 'aj_1 failed', 'aj_1 archived'])
  await expect
    .poll(async () => (await list(webhookId)).map(({ status }) => status))
    .toEqual(['delivered', 'delivered', 'delivered', 'delivered'])
})

test('a receiver that hangs does not hold up another one', async () => {
  const { enqueue } = await prepare(() => {})
  for (let i = 0; i < 20; i += 1) enqueue()
  const slow = receiver
  const { webhookId, enqueue: enqueueOther } = await prepare()
  enqueueOther()
  start()
  expect(await settle(webhookId)).toMatchObject({ status: 'delivered' })
  expect(slow.received.length).toBeLessThanOrEqual(4)
  await slow.close()
})

test('a lost key is named with its remedy, and no secret is in an error or a log', async () => {
  const { webhookId, secret, enqueue } = await prepare()
  enqueue()
  rmSync(join(folder, 'webhook.key'))
  start()
  const { error } = await settle(webhookId)
  expect(error).toMatch(/^This machine does not have the key .*npx quire webhooks rotate wh_[0-9a-f]{16}$/)
  const told = JSON.stringify([error, log.info.mock.calls, log.warn.mock.calls, log.error.mock.calls])
  expect(told).not.toContain(secret.slice(6))
})
