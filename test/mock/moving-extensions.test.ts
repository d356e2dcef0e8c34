import { expect, test } from 'vitest'
import { routes } from '../../generated/extensions/operations.ts'
import { runConformance } from '../../spec/package/conformance/index.ts'
import type { Mock } from '../../spec/package/mock/index.ts'
import { document, extensions } from '../package/conformance/conformance-document.ts'
import { mockSettings, startMovingMock } from '../package/conformance/mock-servers.ts'
import { createStepMock, jobs, send, startInit } from './step-mock.ts'

const agentJobs = '/quire/v1/projects/prj_5b1c2d3e4f506172/agent-jobs'
const exports = '/quire/v1/exports'
const webhooks = '/quire/v1/webhooks'
const source = { repository: 'https://github.com/acme/docs', ref: 'main' }

/** Checks that the mock does not claim, and those for which its time moves too fast here. */
const timed = ['ignored_auth', 'link_rules', 'use_after_free', 'rate_limit_enforcement'] as const

const report = (mock: Mock, body: object) =>
  send(mock, `${agentJobs}/run-1`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })

test('a reported job is created once, moves along the table, and is read by getAgentJob', async () => {
  const { mock } = createStepMock()
  const started = { status: 'active', source, model: 'writer-2', occurredAt: '2026-11-20T10:00:00Z' }
  const done = {
    status: 'completed',
    prLink: 'https://github.com/acme/docs/pull/1',
    occurredAt: '2026-11-20T10:05:00Z',
  }
  expect((await report(mock, started)).status).toBe(201)
  expect((await report(mock, started)).status).toBe(200)
  expect(
    (await report(mock, { ...done, status: 'failed', prLink: undefined, occurredAt: '2026-11-20T09:00:00Z' })).body
      .status,
  ).toBe('active')
  expect((await send(mock, `${agentJobs}/run-1/archive`, { method: 'POST' })).body.code).toBe('illegal_transition')
  const { body } = await report(mock, done)
  expect((await report(mock, done)).body).toEqual(body)
  expect((await report(mock, { status: 'failed', occurredAt: '2026-11-20T11:00:00Z' })).body.code).toBe(
    'illegal_transition',
  )
  expect((await send(mock, '/v2/agent/prj_5b1c2d3e4f506172/job/run-1')).body).toEqual(body)
  expect((await send(mock, `${agentJobs}/run-1/archive`, { method: 'POST' })).body.status).toBe('archived')
  expect((await send(mock, `${agentJobs}?status=archived`)).body).toMatchObject({ jobs: [{ id: 'run-1' }] })
})

test('pages of agent jobs have each job once', async () => {
  const { mock } = createStepMock()
  await report(mock, { status: 'active', source, model: 'writer-2' })
  const ids: string[] = []
  let cursor: unknown
  do {
    const query: string = cursor ? `&cursor=${cursor}` : ''
    const { body } = await send(mock, `${agentJobs}?limit=1${query}`)
    ids.push(...(body.jobs as { id: string }[]).map(({ id }) => id))
    cursor = body.nextCursor
  } while (cursor && ids.length < 10)
  expect(ids.toSorted()).toEqual(['aj_2f6b8d01c3e4a597', 'aj_9c41d2e0b7a65f38', 'aj_d07e5a91b2c8463f', 'run-1'])
  expect((await send(mock, `${agentJobs}?cursor=wrong`)).body.details).toMatchObject([{ field: 'cursor' }])
})

test('an export is listed, cancelled and deleted, but not while it runs or a link works', async () => {
  const { mock } = createStepMock()
  const jobId = String((await send(mock, jobs, startInit())).body.jobId)
  const remove = (id: string) => send(mock, `${exports}/${id}`, { method: 'DELETE' })
  expect((await remove(jobId)).body.code).toBe('export_open')
  const cancelled = await send(mock, `${exports}/${jobId}/cancel`, { method: 'POST' })
  expect(cancelled.body).toMatchObject({ status: 'failed', error: expect.stringContaining('Cancelled by') })
  expect((await send(mock, `${exports}/${jobId}/cancel`, { method: 'POST' })).body.code).toBe('export_ended')
  expect((await send(mock, `${jobs}/${jobId}`)).body.status).toBe('failed')
  expect((await send(mock, `${exports}?domain=docs.example.com&limit=1`)).body).toMatchObject({ exports: [{ jobId }] })
  expect((await remove(jobId)).status).toBe(200)
  expect((await send(mock, `${jobs}/${jobId}`)).status).toBe(404)
  await send(mock, `${jobs}/se_0f3c9a1b2d4e5f60/bundle`, { method: 'POST' })
  expect((await remove('se_0f3c9a1b2d4e5f60')).body.code).toBe('bundle_linked')
})

test('a webhook is created, tested, rotated and deleted, and a delivery is pending for a second', async () => {
  const { mock } = createStepMock()
  const post = (path: string, body?: string) =>
    send(mock, webhooks + path, {
      method: 'POST',
      ...(body && { body, headers: { 'Content-Type': 'application/json' } }),
    })
  const { status, body } = await post('', '{"url":"https://hooks.example.com/ci"}')
  expect([status, body.secret]).toEqual([201, expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/)])
  const { secret: _, ...webhook } = body
  expect((await send(mock, webhooks)).body.webhooks).toEqual([expect.anything(), webhook])
  const test = await post(`/${webhook.id}/test`)
  expect([test.status, test.body.status, test.body.attempts]).toEqual([202, 'pending', 0])
  const later = await post(`/${webhook.id}/test`)
  const deliveries = `${webhooks}/${webhook.id}/deliveries`
  const delivered = { ...test.body, status: 'delivered', attempts: 1, nextAttemptAt: null, responseStatus: 204 }
  const sent = await send(mock, `${deliveries}?status=delivered&limit=1`)
  expect(sent.body.deliveries).toMatchObject([{ id: later.body.id }])
  const next = await send(mock, `${deliveries}?limit=1&cursor=${sent.body.nextCursor}`)
  expect(next.body).toEqual({ deliveries: [{ ...delivered, lastAttemptAt: expect.any(String) }], nextCursor: null })
  const rotated = await post(`/${webhook.id}/secret`)
  expect(rotated.body).toMatchObject({ id: webhook.id, secret: expect.not.stringMatching(String(body.secret)) })
  expect((await send(mock, `${webhooks}/${webhook.id}`, { method: 'DELETE' })).body).toEqual(webhook)
  expect((await send(mock, deliveries)).body.code).toBe('unknown_webhook')
})

test('an organization has at most 50 webhooks', async () => {
  const { mock } = createStepMock()
  const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"url":"https://a.example/"}' }
  for (let i = 1; i < 50; i++) expect((await send(mock, webhooks, init)).status).toBe(201)
  expect((await send(mock, webhooks, init)).body.code).toBe('webhook_limit')
})

test('the same line counts once, and a key in the address must be for that alone', async () => {
  const { mock } = createStepMock()
  const line = '203.0.113.9 - - [20/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 5120 "-" "Mozilla/5.0"'
  const visits = '/quire/v1/projects/prj_5b1c2d3e4f506172/visits'
  const answer = async (query: string) => {
    const request = new Request(`http://mock.test${visits}?key=${query}`, { method: 'POST', body: line })
    return (await mock.answer(request)).json()
  }
  expect(await answer('ingest')).toMatchObject({ lines: 1, counted: 1, known: 0 })
  expect(await answer('ingest')).toMatchObject({ lines: 1, counted: 0, known: 1 })
  expect(await answer('any')).toMatchObject({ code: 'key_in_address' })
  expect(await answer('expired')).toMatchObject({ code: 'invalid_api_key' })
  const others = { method: 'POST', body: line, headers: { Authorization: 'Bearer other' } }
  expect((await send(mock, '/quire/v1/visits', others)).body.code).toBe('no_site')
})

test('a page view counts for a page of the site', async () => {
  const { mock } = createStepMock()
  const view = (origin: string) =>
    send(mock, '/quire/v1/projects/prj_5b1c2d3e4f506172/page-views?page=/guide', {
      method: 'POST',
      headers: { Authorization: 'Bearer count-views', Origin: origin },
    })
  expect((await view('https://docs.example.com')).status).toBe(204)
  expect((await view('https://other.example')).body.code).toBe('origin_not_allowed')
})

test('keys and chosen errors work as for the first document', async () => {
  const { mock } = createStepMock()
  const as = (key: string, init: RequestInit = {}) =>
    send(mock, exports, { ...init, headers: { Authorization: `Bearer ${key}` } })
  expect((await as('expired')).status).toBe(401)
  expect((await as('standard')).body.code).toBe('plan_required')
  expect((await as('other')).body.exports).toEqual([])
  const archive = `${agentJobs}/aj_9c41d2e0b7a65f38/archive`
  const read = await send(mock, archive, { method: 'POST', headers: { Authorization: 'Bearer read-only' } })
  expect(read.body.code).toBe('missing_scope')
  const chosen = await send(mock, archive, { method: 'POST', headers: { Prefer: 'code=409' } })
  expect([chosen.status, chosen.body.code]).toEqual([409, 'illegal_transition'])
  const init = {
    method: 'POST',
    body: '{"prompt":"x"}',
    headers: { 'Content-Type': 'application/json', Prefer: 'code=501' },
  }
  expect((await send(mock, '/v1/agent/prj_5b1c2d3e4f506172/job', init)).body.code).toBe('no_agent_runner')
})

test('a started job moves by itself, tells its events, goes on after a message, and can be cancelled', async () => {
  const { mock } = createStepMock()
  const post = (path: string, body?: object) =>
    send(mock, path, {
      method: 'POST',
      ...(body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    })
  const { body: job } = await post('/v2/agent/prj_5b1c2d3e4f506172/job', { prompt: 'Fix it.' })
  const run = async () => (await send(mock, `${agentJobs}/${job.id}/run`)).body
  const events = async () => (await send(mock, `${agentJobs}/${job.id}/events`)).body.events as object[]
  // The time moves by a second with each request.
  const seen: Awaited<ReturnType<typeof run>>[] = []
  while (seen.length < 30 && seen.at(-1)?.state !== 'ended') seen.push(await run())
  expect([...new Set(seen.map(({ state }) => state))].slice(-2)).toEqual(['running', 'ended'])
  expect(seen.at(-1)).toMatchObject({ turn: 1, end: 'changed', files: 1 })
  expect((await send(mock, `/v2/agent/prj_5b1c2d3e4f506172/job/${job.id}`)).body.status).toBe('completed')
  expect((await send(mock, `${agentJobs}/${job.id}/change`)).body.files).toHaveLength(1)
  const before = await events()
  expect((await post(`/v2/agent/prj_5b1c2d3e4f506172/job/${job.id}/message`, { prompt: 'More.' })).status).toBe(202)
  expect(await run()).toMatchObject({ turn: 2, prompt: 'More.', end: null })
  expect((await events()).slice(0, before.length)).toEqual(before)
  expect((await post(`${agentJobs}/${job.id}/cancel`)).body).toMatchObject({ state: 'ended', end: 'cancelled' })
  expect((await post(`${agentJobs}/${job.id}/cancel`)).status).toBe(409)
})

test('the mock passes the kit for all operations of the second document', async () => {
  const moving = await startMovingMock({ stepSeconds: 36 })
  try {
    const settings = {
      ...mockSettings(moving.url),
      readKey: 'read-only',
      writeKey: 'write-only',
      otherKey: 'other',
      excluded: [...timed],
    }
    const { failures, statuses } = await runConformance({ document, extensions, settings })
    expect(failures.map(({ check, ...failure }) => `${check} ${JSON.stringify(failure).slice(0, 300)}`)).toEqual([])
    expect(Object.keys(statuses)).toEqual(expect.arrayContaining(routes.map(({ operationId }) => operationId)))
  } finally {
    await moving.close()
  }
})
