import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { send } from '../support/client.ts'
import { queuedJob } from '../support/export-job.ts'
import { createApiKey, createOrganization, startTestServer, type TestServer } from '../support/server.ts'

const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../generated/extensions/openapi.json'), 'utf8'))

let server: TestServer
let organizationId: string
let projectId: string
let key: string
let ingestKey: string
let otherKey: string
beforeAll(async () => {
  // Each answer is compared with the document.
  server = await startTestServer()
  ;({ organizationId, projectId } = await createOrganization(server.store))
  ;({ key } = await createApiKey(server.store, organizationId))
  ;({ key: ingestKey } = await createApiKey(server.store, organizationId, {
    scopes: ['ingest'],
    projectIds: [projectId],
  }))
  const other = await createOrganization(server.store)
  ;({ key: otherKey } = await createApiKey(server.store, other.organizationId))
})
afterAll(() => server.dispose())

async function ask(method: string, path: string, body?: object, bearer = key) {
  const headers = { Authorization: `Bearer ${bearer}`, ...(body && { 'Content-Type': 'application/json' }) }
  const answer = await send(server.url, path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  return { status: answer.status, json: answer.json }
}

const first = {
  status: 'active',
  source: { repository: 'https://github.com/acme/docs', ref: 'main' },
  model: 'writer-2',
}
const prLink = 'https://github.com/acme/docs/pull/42'
let count = 0
const newPath = () => `/quire/v1/projects/${projectId}/agent-jobs/run-${count++}`

describe('reportAgentJob', () => {
  test('creates a job and completes it, and the administration API reads it', async () => {
    const path = newPath()
    const id = path.split('/').at(-1)
    expect(await ask('PUT', path, first, ingestKey)).toMatchObject({ status: 201, json: { id, status: 'active' } })
    const done = await ask('PUT', path, { status: 'completed', prLink }, ingestKey)
    expect(done).toMatchObject({ status: 200, json: { status: 'completed', prLink, model: 'writer-2' } })
    expect((await ask('GET', `/v2/agent/${projectId}/job/${id}`)).json).toEqual(done.json)
  })

  test('the same report twice changes nothing', async () => {
    const path = newPath()
    await ask('PUT', path, first)
    const once = await ask('PUT', path, { status: 'failed' })
    expect(await ask('PUT', path, { status: 'failed' })).toEqual(once)
    expect(await ask('PUT', path, first)).toEqual(once)
  })

  test('an older report changes nothing, also if it contradicts', async () => {
    const path = newPath()
    await ask('PUT', path, { ...first, occurredAt: '2026-11-20T10:00:00Z' })
    const completed = await ask('PUT', path, { status: 'completed', prLink, occurredAt: '2026-11-20T12:00:00+01:00' })
    expect(await ask('PUT', path, { status: 'failed', occurredAt: '2026-11-20T10:30:00Z' })).toEqual(completed)
    const later = await ask('PUT', path, { status: 'failed', occurredAt: '2026-11-20T11:30:00Z' })
    expect(later).toMatchObject({ status: 409, json: { code: 'illegal_transition' } })
  })

  test('a link that comes later is added, and another one is refused', async () => {
    const path = newPath()
    await ask('PUT', path, { ...first, status: 'completed' })
    expect((await ask('PUT', path, { status: 'completed', prLink })).json.prLink).toBe(prLink)
    expect((await ask('PUT', path, { status: 'completed', prLink: `${prLink}0` })).status).toBe(409)
  })

  test('100 reports at once make one job', async () => {
    const path = newPath()
    const answers = await Promise.all(Array.from({ length: 100 }, () => ask('PUT', path, first)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(99)
  })

  test.each([
    [{}, 'status', 'missing'],
    [{ status: 'archived' }, 'status', 'unknown_value'],
    [{ status: 'active' }, 'source', 'missing'],
    [{ ...first, model: undefined }, 'model', 'missing'],
    [{ ...first, prLink }, 'prLink', 'wrong_format'],
    [{ ...first, source: { repository: 'javascript:alert(1)' } }, 'source.repository', 'wrong_format'],
    [{ ...first, source: { repository: 'https://user:secret@github.com/a' } }, 'source.repository', 'wrong_format'],
    [{ ...first, occurredAt: '2026-13-20T10:00:00Z' }, 'occurredAt', 'wrong_format'],
    [{ ...first, occurredAt: 'yesterday' }, 'occurredAt', 'wrong_length'],
    [{ ...first, model: 'a\0' }, 'model', 'wrong_format'],
  ])('refuses %j and names the field', async (body, field, code) => {
    const { status, json } = await ask('PUT', newPath(), body)
    expect({ status, code: json.code }).toEqual({ status: 400, code: 'invalid_request' })
    expect(json.details).toMatchObject([{ field, code }])
    expect(JSON.stringify(json)).not.toContain('secret')
  })

  test('another organization, and a key for another project, see no project', async () => {
    expect((await ask('PUT', newPath(), first, otherKey)).json.code).toBe('unknown_project')
    const bound = await createApiKey(server.store, organizationId, { scopes: ['ingest'], projectIds: ['prj_other'] })
    expect((await ask('PUT', newPath(), first, bound.key)).json.code).toBe('unknown_project')
  })
})

test('a key with the scope ingest may only report', async () => {
  const jobs = `/quire/v1/projects/${projectId}/agent-jobs`
  for (const [method, path] of [
    ['GET', jobs],
    ['POST', `${jobs}/run-0/archive`],
    ['GET', '/quire/v1/exports'],
    ['GET', `/v2/agent/${projectId}/job/run-0`],
  ] as const) {
    expect(await ask(method, path, undefined, ingestKey)).toMatchObject({
      status: 403,
      json: { code: 'missing_scope' },
    })
  }
})

test('listAgentJobs gives every job once, also while jobs are added', async () => {
  const { projectId: project } = await addProject()
  const jobs = `/quire/v1/projects/${project}/agent-jobs`
  for (let i = 0; i < 7; i++) {
    const occurredAt = `2026-11-2${i < 4 ? 0 : 1}T10:00:00Z`
    await ask('PUT', `${jobs}/j${i}`, { ...first, status: i % 2 ? 'failed' : 'completed', occurredAt })
  }
  const seen: string[] = []
  for (let cursor: unknown = ''; cursor !== null; ) {
    const { status, json } = await ask('GET', `${jobs}?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`)
    expect(status).toBe(200)
    seen.push(...(json.jobs as { id: string }[]).map(({ id }) => id))
    cursor = json.nextCursor
    await ask('PUT', `${jobs}/new-${seen.length}`, first)
  }
  expect(seen).toEqual(['j4', 'j5', 'j6', 'j0', 'j1', 'j2', 'j3'])
  const failed = await ask('GET', `${jobs}?status=failed`)
  expect(failed.json).toMatchObject({ jobs: [{ id: 'j5' }, { id: 'j1' }, { id: 'j3' }], nextCursor: null })
  const wrong = await ask('GET', `${jobs}?cursor=abc`)
  expect(wrong).toMatchObject({ status: 400, json: { details: [{ field: 'cursor', code: 'wrong_format' }] } })
})

async function addProject() {
  const id = `prj_${String(count++).padStart(16, '0')}`
  const project = { id, organizationId, name: id, visitorSaltRotation: 'never' as const, createdAt: 0 }
  await server.store.projects.insert(project)
  return { projectId: id }
}

test('archiveAgentJob archives what has ended, once, with an audit event', async () => {
  const path = newPath()
  await ask('PUT', path, first)
  expect((await ask('POST', `${path}/archive`)).json.code).toBe('illegal_transition')
  await ask('PUT', path, { status: 'failed' })
  const archived = await ask('POST', `${path}/archive`)
  expect(archived).toMatchObject({ status: 200, json: { status: 'archived', archivedAt: expect.any(String) } })
  expect(await ask('POST', `${path}/archive`)).toEqual(archived)
  expect((await ask('POST', `${newPath()}/archive`)).json.code).toBe('unknown_agent_job')
})

describe('exports', () => {
  test('are listed, cancelled and deleted', async () => {
    const job = queuedJob({ jobId: 'se_00000000000000a1', organizationId, createdAt: Date.now() })
    await server.store.exportJobs.start(job, undefined, 0)
    // Otherwise the runner of this server would take it.
    await server.store.exportJobs.claim('test', Date.now(), 60_000)
    const listed = await ask('GET', '/quire/v1/exports?limit=1')
    expect(listed.json).toMatchObject({ exports: [{ jobId: job.jobId, domain: job.request.domain }], nextCursor: null })
    expect((await ask('GET', '/quire/v1/exports?domain=none.example')).json).toEqual({ exports: [], nextCursor: null })
    const path = `/quire/v1/exports/${job.jobId}`
    expect((await ask('DELETE', path)).json.code).toBe('export_open')
    const cancelled = await ask('POST', `${path}/cancel`)
    expect(cancelled).toMatchObject({
      status: 200,
      json: { status: 'failed', error: expect.stringContaining('Cancelled by key') },
    })
    expect((await ask('POST', `${path}/cancel`)).json.code).toBe('export_ended')
    expect((await ask('DELETE', path, undefined, otherKey)).json.code).toBe('unknown_export_job')
    expect(await ask('DELETE', path)).toEqual(cancelled)
    expect((await ask('DELETE', path)).json.code).toBe('unknown_export_job')
  })
})

test('paths and methods that the document lacks are JSON errors', async () => {
  expect(await ask('GET', '/quire/v1/nothing')).toMatchObject({ status: 404, json: { code: 'unknown_path' } })
  const answer = await send(server.url, '/quire/v1/exports', { method: 'POST' })
  expect([answer.status, answer.headers.allow]).toEqual([405, 'GET'])
  expect((await ask('GET', `/quire/v1/projects/%/agent-jobs`)).json.code).toBe('malformed_path')
})

test('the server shows its document', async () => {
  const { json } = await send(server.url, '/quire/v1/openapi.json')
  expect(json.paths).toEqual(document.paths)
})

describe('sendVisits', () => {
  const time = (minute: number) => `20/Nov/2026:10:${String(minute).padStart(2, '0')}:00 +0000`
  const line = (i: number, path: string) =>
    `203.0.113.${i} - - [${time(i)}] "GET ${path} HTTP/1.1" 200 5120 "-" "Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0"`
  const lines = [line(1, '/'), line(2, '/'), line(2, '/guide'), line(3, '/style.css'), 'no line', ''].join('\n')

  async function sendLines(path: string, body: string | Buffer, more: Record<string, string> = {}, bearer = ingestKey) {
    const headers = { Authorization: `Bearer ${bearer}`, 'Content-Type': 'text/plain', ...more }
    const { status, json } = await send(server.url, path, { method: 'POST', headers, body })
    return { status, json }
  }

  test('counts lines, once, in each encoding and layout', async () => {
    const { projectId: project } = await addProject()
    const visits = `/quire/v1/projects/${project}/visits`
    const first = await sendLines(visits, lines, {}, key)
    expect(first).toEqual({
      status: 200,
      json: {
        lines: 5,
        counted: 3,
        known: 0,
        tooOld: 0,
        filtered: 1,
        unreadable: [{ reason: expect.any(String), count: 1 }],
      },
    })
    const report = `/v1/analytics/${project}/visitors`
    const counted = await ask('GET', report)
    expect(counted.json.totals).toEqual({ human: 2, ai: 0, total: 2 })
    const again = await sendLines(visits, gzipSync(lines), { 'Content-Encoding': 'gzip' }, key)
    expect(again.json).toMatchObject({ counted: 0, known: 3 })
    const records = lines.split('\n').map(log => ({ log }))
    const asArray = await sendLines(visits, JSON.stringify(records), { 'Content-Type': 'application/json' }, key)
    expect(asArray).toMatchObject({ status: 200, json: { counted: 0, known: 3 } })
    expect(await ask('GET', report)).toEqual(counted)
  })

  test('refuses what cannot be counted, and counts nothing of it', async () => {
    const visits = `/quire/v1/projects/${projectId}/visits`
    const gzip = { 'Content-Encoding': 'gzip' }
    expect(await sendLines(visits, 'no gzip', gzip)).toMatchObject({ status: 400, json: { code: 'malformed_body' } })
    expect(await sendLines(visits, lines, { 'Content-Encoding': 'br' })).toMatchObject({
      status: 415,
      json: { code: 'unsupported_media_type' },
    })
    expect(await sendLines(`${visits}?format=none`, lines)).toMatchObject({
      status: 400,
      json: { code: 'invalid_request' },
    })
    const large = await sendLines(visits, Buffer.alloc(16 * 1024 * 1024 + 1, 'a\n'))
    expect(large).toMatchObject({ status: 413, json: { code: 'body_too_large' } })
    expect(await sendLines(visits, lines, {}, otherKey)).toMatchObject({
      status: 404,
      json: { code: 'unknown_project' },
    })
    expect((await ask('GET', `/v1/analytics/${projectId}/visitors`)).json.totals).toEqual({ human: 0, ai: 0, total: 0 })
  })

  test('by host, lines count for the project of their site', async () => {
    expect(await sendLines('/quire/v1/visits', lines, {}, key)).toMatchObject({
      status: 400,
      json: { code: 'no_site' },
    })
    const { projectId: project } = await addProject()
    const site = { domain: 'docs.acme.test', projectId: project, origin: 'http://127.0.0.1:9/', createdAt: 0 }
    await server.store.sites.insert(site)
    const hosts = ['docs.acme.test', 'other.test'].map(host =>
      JSON.stringify({
        ClientIP: '203.0.113.5',
        ClientRequestMethod: 'GET',
        ClientRequestHost: host,
        ClientRequestURI: '/',
        EdgeResponseStatus: 200,
        EdgeStartTimestamp: '2026-11-20T10:00:00Z',
        ClientRequestUserAgent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0',
      }),
    )
    const answer = await sendLines(
      '/quire/v1/visits',
      hosts.join('\n'),
      { 'Content-Type': 'application/x-ndjson' },
      key,
    )
    expect(answer.json).toMatchObject({ lines: 2, counted: 1, filtered: 1 })
    const bound = await sendLines('/quire/v1/visits', hosts.join('\n'))
    expect(bound).toMatchObject({ status: 403, json: { code: 'missing_scope' } })
  })
})

describe('webhooks', () => {
  test('are created, listed, tested, rotated and deleted', async () => {
    const created = await ask('POST', '/quire/v1/webhooks', { url: 'https://hooks.example.com/quire?token=abc' })
    expect(created).toMatchObject({ status: 201, json: { secret: expect.stringMatching(/^whsec_/), disabledAt: null } })
    const { secret, ...webhook } = created.json
    expect((await ask('GET', '/quire/v1/webhooks')).json).toEqual({ webhooks: [webhook] })
    const path = `/quire/v1/webhooks/${webhook.id}`
    const tested = await ask('POST', `${path}/test`)
    expect(tested).toMatchObject({ status: 202, json: { type: 'webhook.test', status: 'pending' } })
    await ask('POST', `${path}/test`)
    const listed = await ask('GET', `${path}/deliveries?limit=1`)
    const next = await ask('GET', `${path}/deliveries?limit=1&cursor=${listed.json.nextCursor}`)
    expect(next.json).toMatchObject({ deliveries: [{ id: tested.json.id }], nextCursor: null })
    const rotated = await ask('POST', `${path}/secret`)
    expect(rotated).toMatchObject({ status: 200, json: { secret: expect.stringMatching(/^whsec_/) } })
    expect(rotated.json.secret).not.toBe(secret)
    expect((await ask('DELETE', path, undefined, otherKey)).json.code).toBe('unknown_webhook')
    expect(await ask('DELETE', path)).toEqual({ status: 200, json: webhook })
    expect((await ask('GET', `${path}/deliveries`)).json.code).toBe('unknown_webhook')
  })

  test.each([
    [{ url: 'http://127.0.0.1:9/x' }, 'url'],
    [{ url: 'https://user:secret@hooks.example.com/' }, 'url'],
    [{ url: 'ftp://hooks.example.com/' }, 'url'],
    [{ url: 'https://hooks.example.com/', events: ['export.started'] }, 'events[0]'],
  ])('refuses %j', async (body, field) => {
    const { status, json } = await ask('POST', '/quire/v1/webhooks', body)
    expect({ status, details: json.details }).toMatchObject({ status: 400, details: [{ field }] })
    expect(JSON.stringify(json)).not.toContain('secret@')
  })
})
