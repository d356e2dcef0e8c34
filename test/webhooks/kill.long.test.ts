import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { dayMs } from '../../server/base/day-ms.ts'
import { openPostgres } from '../../server/store/open-postgres.ts'
import { openStore } from '../../server/store/store.ts'
import { openSecretBox } from '../../server/store/webhook-keys.ts'
import { parseAllowedPrivate } from '../../server/webhooks/allowed-private.ts'
import { startDeliverer } from '../../server/webhooks/deliverer.ts'
import { issueWebhook } from '../../server/webhooks/issue-webhook.ts'
import { waitFor } from '../support/export-site.ts'
import { createTestDatabase, findPostgres, type TestDatabase } from '../support/postgres/test-database.ts'
import { startProgram } from '../support/program.ts'
import { createRandom } from '../support/random.ts'
import { rounds } from '../support/rounds.ts'
import { isSignedBy, type Receiver, startReceiver } from './receiver.ts'

const found = await findPostgres()
const skipped = 'missing' in found ? `: ${found.missing}` : ''
const usualKills = { SQLite: rounds(100), PostgreSQL: rounds(30) }
const script = join(import.meta.dirname, 'deliver-process.ts')
const allowed = parseAllowedPrivate('127.0.0.0/8') ?? { names: [], ranges: [] }
let folder: string
let receiver: Receiver
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-webhook-kill-'))
  // Slow enough that most kills meet attempts that are under way.
  receiver = await startReceiver((_, response) => {
    setTimeout(() => response.writeHead(204).end(), 20)
  })
})
afterEach(async () => {
  await receiver.close()
  rmSync(folder, { recursive: true })
})

const arrive = 'every stored event has arrived, in order for each job, with a valid signature'

test(`on SQLite, after ${usualKills.SQLite} kills, ${arrive}`, () => killOften(usualKills.SQLite))

describe.skipIf('missing' in found)(`on PostgreSQL${skipped}`, () => {
  test(`after ${usualKills.PostgreSQL} kills, ${arrive}`, async () => {
    const database = await createTestDatabase('missing' in found ? '' : found.url)
    try {
      await killOften(usualKills.PostgreSQL, database)
    } finally {
      await database.drop()
    }
  })
})

async function killOften(kills: number, database?: TestDatabase): Promise<void> {
  const open = () => (database ? openPostgres(database.url, { dataFolder: folder }) : openStore(folder))
  const secrets = openSecretBox(folder, undefined)
  const store = await open()
  const createdAt = Date.now()
  await store.organizations.insert({ id: 'org_1', name: 'Acme', plan: 'enterprise', createdAt })
  await store.projects.insert({
    id: 'prj_1',
    organizationId: 'org_1',
    name: 'Docs',
    visitorSaltRotation: 'never',
    visitorRules: 2,
    createdAt,
  })
  const secretsOf = new Map<string, string>()
  for (const path of ['a', 'b']) {
    const given = { organizationId: 'org_1', url: receiver.url + path, createdAt, events: ['agent_job.updated'] }
    const { webhook, secret, sealedSecret } = issueWebhook(given, { secrets, allowed })
    await store.webhooks.insert(webhook, sealedSecret)
    secretsOf.set(`/${path}`, secret)
  }
  await store.close()

  const random = createRandom('webhook kills')
  const stored: string[] = []
  for (let run = 0; run < kills; run += 1) {
    const before = receiver.received.length
    const program = startProgram([script, folder, String(run), ...(database ? [database.url] : [])])
    // Some runs only take over what an earlier one left.
    await waitFor(async () => receiver.received.length > before || undefined)
    await new Promise(done => setTimeout(done, random() * 150))
    await program.end('SIGKILL')
    expect(program.stderr()).toBe('')
    stored.push(...program.stdout().split('\n').slice(0, -1))
  }

  const rest = await open()
  // The deliverer on PostgreSQL uses the clock of the database.
  await database?.run(`CREATE OR REPLACE FUNCTION now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS
    'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint + ${dayMs}'`)
  const last = startDeliverer({
    ...rest,
    ...{ secrets, allowed, timeoutMs: 10_000, leaseMs: 30_000, random: Math.random },
    // After all waits.
    now: () => Date.now() + dayMs,
    log: { info() {}, warn() {}, error: details => expect(details).toBeUndefined() },
  })
  const list = async (status?: 'pending') => {
    const lists = (await rest.webhooks.list()).map(({ id }) =>
      rest.webhookDeliveries.list(id, { status, limit: 100_000 }),
    )
    return (await Promise.all(lists)).flat()
  }
  await expect.poll(async () => (await list('pending')).length, { timeout: 120_000, interval: 100 }).toBe(0)
  await last.stop()

  const deliveries = await list()
  await rest.close()
  const ids = new Set(receiver.received.map(({ id }) => id))
  expect(deliveries.filter(({ id, status }) => status !== 'delivered' || !ids.has(id))).toEqual([])
  expect(receiver.received.filter(got => !isSignedBy(secretsOf.get(got.path) ?? '', got))).toEqual([])
  for (const path of secretsOf.keys()) {
    const arrived = receiver.received
      .filter(got => got.path === path)
      .map(({ body }) => {
        const { data } = JSON.parse(body)
        return { id: data.id as string, status: data.status as string }
      })
    const names = new Set(arrived.map(({ id, status }) => `${id} ${status}`))
    expect(stored.filter(event => !names.has(event))).toEqual([])
    // Nothing of a job arrives again after something later of it.
    for (const [id, of] of Map.groupBy(arrived, ({ id }) => id)) {
      const statuses = of.map(({ status }) => status)
      expect([id, statuses]).toEqual([id, statuses.toSorted((a, b) => (a === b ? 0 : a === 'completed' ? -1 : 1))])
    }
  }
  const again = receiver.received.length - ids.size
  console.log(
    `${kills} kills, ${stored.length} events stored, ${receiver.received.length} requests, ${again} of them again`,
  )
  // Otherwise no kill met an attempt.
  expect(again).toBeGreaterThan(0)
}
