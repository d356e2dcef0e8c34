import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { webhooks } from '../../generated/extensions/openapi.ts'
import { dereferenceDocument } from '../../scripts/generate/dereference.ts'
import type { Document, Parameter } from '../../scripts/generate/document.ts'
import { parseAddressRange } from '../../server/base/address-range.ts'
import { webhookEvents } from '../../server/webhooks/webhook.ts'
import { send } from '../support/client.ts'
import { addCompletedJob } from '../support/completed-job.ts'
import { queuedJob } from '../support/export-job.ts'
import { createApiKey, createOrganization, startTestServer, type TestServer } from '../support/server.ts'
import { isSignedBy, type Receiver, startReceiver } from './receiver.ts'

type EventName = keyof webhooks
interface DocumentedEvent {
  parameters: Parameter[]
  requestBody: { content: { 'application/json': { schema: object; examples: Record<string, { value: object }> } } }
}

const file = join(import.meta.dirname, '../../generated/extensions/openapi.json')
const document = (await dereferenceDocument(JSON.parse(readFileSync(file, 'utf8')) as Document)) as Document & {
  webhooks: Record<EventName, { post: DocumentedEvent }>
}
const names: EventName[] = [...webhookEvents, 'webhook.test']
const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)

function findFaults(name: EventName, body: unknown): string {
  const { schema } = document.webhooks[name].post.requestBody.content['application/json']
  return ajv.validate(schema, body) ? '' : ajv.errorsText()
}

test('the document has every event, and no other', () => {
  expect(Object.keys(document.webhooks)).toEqual(names)
})

test.each(names)('the examples of %s follow its schema', name => {
  const { examples } = document.webhooks[name].post.requestBody.content['application/json']
  expect(Object.keys(examples)).not.toHaveLength(0)
  for (const { value } of Object.values(examples)) {
    expect(findFaults(name, value)).toBe('')
    expect(value).toMatchObject({ type: name })
  }
})

let server: TestServer
let receiver: Receiver
let secret: string

beforeAll(async () => {
  receiver = await startReceiver()
  const range = parseAddressRange('127.0.0.1/32')
  server = await startTestServer({ webhookAllowPrivate: { names: [], ranges: range ? [range] : [] } })
  await sendEachEvent(server)
  const listTypes = () => receiver.received.map(({ body }) => JSON.parse(body).type)
  await vi.waitFor(() => expect(listTypes().toSorted()).toEqual(names.toSorted()), { timeout: 10_000 })
})
afterAll(async () => {
  await server.dispose()
  await receiver.close()
})

async function sendEachEvent({ store, url, dataFolder }: TestServer): Promise<void> {
  const { organizationId, projectId } = await createOrganization(store)
  const now = Date.now()
  const scopes = ['read', 'write', 'ingest'] as const
  const { key } = await createApiKey(store, organizationId, { scopes: [...scopes], expiresAt: now + 60_000 })
  const ask = async (method: string, path: string, body?: object) => {
    const headers = { Authorization: `Bearer ${key}`, ...(body && { 'Content-Type': 'application/json' }) }
    const { status, json } = await send(url, path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    expect({ isRefused: status >= 400, json }).toEqual({ isRefused: false, json })
    return json
  }
  const created = await ask('POST', '/quire/v1/webhooks', { url: receiver.url })
  secret = String(created.secret)
  await addCompletedJob(store, dataFolder, organizationId)
  const failed = queuedJob({ jobId: 'se_0f3c9a1b2d4e5f60', organizationId, createdAt: now })
  await store.atomically(function* ({ exportJobs }) {
    yield* exportJobs.start(failed, undefined, 0)
    const claimed = yield* exportJobs.claim('test', now, 60_000)
    if (claimed) yield* exportJobs.fail(claimed.lease, 'The site did not answer.', now)
  })
  const job = `/quire/v1/projects/${projectId}/agent-jobs/run-1`
  const source = { repository: 'https://github.com/acme/docs', ref: 'main' }
  await ask('PUT', job, { status: 'active', source, model: 'writer-2' })
  await ask('PUT', job, { status: 'completed', prLink: 'https://github.com/acme/docs/pull/42' })
  await store.webhookDeliveries.enqueueLagging(projectId, 0, now)
  await store.webhookDeliveries.enqueueExpiringKeys(now, now + 120_000)
  await ask('POST', `/quire/v1/webhooks/${created.id}/test`)
}

test.each(names)('the server sends %s as the document describes it', name => {
  const sent = receiver.received.filter(({ body }) => JSON.parse(body).type === name)
  expect(sent).not.toHaveLength(0)
  for (const { headers, body } of sent) {
    expect(findFaults(name, JSON.parse(body))).toBe('')
    for (const parameter of document.webhooks[name].post.parameters) {
      const value = headers[parameter.name]
      expect(ajv.validate(parameter.schema as object, value) ? '' : `${parameter.name} ${value}`).toBe('')
    }
    expect(isSignedBy(secret, { headers, body })).toBe(true)
  }
})
