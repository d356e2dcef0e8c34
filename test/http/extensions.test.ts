import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { send } from '../support/client.ts'
import { queuedJob } from '../support/export-job.ts'
import { useExtensionsServer } from '../support/extensions-server.ts'
import { createApiKey } from '../support/server.ts'

const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../generated/extensions/openapi.json'), 'utf8'))
const used = useExtensionsServer()

const first = {
  status: 'active',
  source: { repository: 'https://github.com/acme/docs', ref: 'main' },
  model: 'writer-2',
}
const prLink = 'https://github.com/acme/docs/pull/42'
let count = 0
const newPath = () => `/quire/v1/projects/${used.projectId}/agent-jobs/run-${count++}`

describe('reportAgentJob', () => {
  test('creates a job and completes it, and the administration API reads it', async () => {
    const path = newPath()
    const id = path.split('/').at(-1)
    expect(await used.ask('PUT', path, first, used.keys.ingest)).toMatchObject({
      status: 201,
      json: { id, status: 'active' },
    })
    const done = await used.ask('PUT', path, { status: 'completed', prLink }, used.keys.ingest)
    expect(done).toMatchObject({ status: 200, json: { status: 'completed', prLink, model: 'writer-2' } })
    expect((await used.ask('GET', `/v2/agent/${used.projectId}/job/${id}`)).json).toEqual(done.json)
  })

  test('the same report twice changes nothing', async () => {
    const path = newPath()
    await used.ask('PUT', path, first)
    const once = await used.ask('PUT', path, { status: 'failed' })
    expect(await used.ask('PUT', path, { status: 'failed' })).toEqual(once)
    expect(await used.ask('PUT', path, first)).toEqual(once)
  })

  test('an older report changes nothing, also if it contradicts', async () => {
    const path = newPath()
    await used.ask('PUT', path, { ...first, occurredAt: '2026-11-20T10:00:00Z' })
    const completed = await used.ask('PUT', path, {
      status: 'completed',
      prLink,
      occurredAt: '2026-11-20T12:00:00+01:00',
    })
    expect(await used.ask('PUT', path, { status: 'failed', occurredAt: '2026-11-20T10:30:00Z' })).toEqual(completed)
    const later = await used.ask('PUT', path, { status: 'failed', occurredAt: '2026-11-20T11:30:00Z' })
    expect(later).toMatchObject({ status: 409, json: { code: 'illegal_transition' } })
  })

  test('a link that comes later is added, and another one is refused', async () => {
    const path = newPath()
    await used.ask('PUT', path, { ...first, status: 'completed' })
    expect((await used.ask('PUT', path, { status: 'completed', prLink })).json.prLink).toBe(prLink)
    expect((await used.ask('PUT', path, { status: 'completed', prLink: `${prLink}0` })).status).toBe(409)
  })

  test('100 reports at once make one job', async () => {
    const path = newPath()
    const answers = await Promise.all(Array.from({ length: 100 }, () => used.ask('PUT', path, first)))
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
    const { status, json } = await used.ask('PUT', newPath(), body)
    expect({ status, code: json.code }).toEqual({ status: 400, code: 'invalid_request' })
    expect(json.details).toMatchObject([{ field, code }])
    expect(JSON.stringify(json)).not.toContain('secret')
  })

  test('another organization, and a key for another project, see no project', async () => {
    expect((await used.ask('PUT', newPath(), first, used.keys.other)).json.code).toBe('unknown_project')
    const bound = await createApiKey(used.server.store, used.organizationId, {
      scopes: ['ingest'],
      projectIds: ['prj_other'],
    })
    expect((await used.ask('PUT', newPath(), first, bound.key)).json.code).toBe('unknown_project')
  })
})

test('a key with the scope ingest may only report', async () => {
  const jobs = `/quire/v1/projects/${used.projectId}/agent-jobs`
  for (const [method, path] of [
    ['GET', jobs],
    ['POST', `${jobs}/run-0/archive`],
    ['GET', '/quire/v1/exports'],
    ['GET', `/v2/agent/${used.projectId}/job/run-0`],
  ] as const) {
    expect(await used.ask(method, path, undefined, used.keys.ingest)).toMatchObject({
      status: 403,
      json: { code: 'missing_scope' },
    })
  }
})

test('listAgentJobs gives every job once, also while jobs are added', async () => {
  const project = await used.addProject()
  const jobs = `/quire/v1/projects/${project}/agent-jobs`
  for (let i = 0; i < 7; i++) {
    const occurredAt = `2026-11-2${i < 4 ? 0 : 1}T10:00:00Z`
    await used.ask('PUT', `${jobs}/j${i}`, { ...first, status: i % 2 ? 'failed' : 'completed', occurredAt })
  }
  const seen: string[] = []
  for (let cursor: unknown = ''; cursor !== null; ) {
    const { status, json } = await used.ask('GET', `${jobs}?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`)
    expect(status).toBe(200)
    seen.push(...(json.jobs as { id: string }[]).map(({ id }) => id))
    cursor = json.nextCursor
    await used.ask('PUT', `${jobs}/new-${seen.length}`, first)
  }
  expect(seen).toEqual(['j4', 'j5', 'j6', 'j0', 'j1', 'j2', 'j3'])
  const failed = await used.ask('GET', `${jobs}?status=failed`)
  expect(failed.json).toMatchObject({ jobs: [{ id: 'j5' }, { id: 'j1' }, { id: 'j3' }], nextCursor: null })
  const wrong = await used.ask('GET', `${jobs}?cursor=abc`)
  expect(wrong).toMatchObject({ status: 400, json: { details: [{ field: 'cursor', code: 'wrong_format' }] } })
})

test('archiveAgentJob archives what has ended, once, with an audit event', async () => {
  const path = newPath()
  await used.ask('PUT', path, first)
  expect((await used.ask('POST', `${path}/archive`)).json.code).toBe('illegal_transition')
  await used.ask('PUT', path, { status: 'failed' })
  const archived = await used.ask('POST', `${path}/archive`)
  expect(archived).toMatchObject({ status: 200, json: { status: 'archived', archivedAt: expect.any(String) } })
  expect(await used.ask('POST', `${path}/archive`)).toEqual(archived)
  expect((await used.ask('POST', `${newPath()}/archive`)).json.code).toBe('unknown_agent_job')
})

describe('exports', () => {
  test('are listed, cancelled and deleted', async () => {
    const job = queuedJob({ jobId: 'se_00000000000000a1', organizationId: used.organizationId, createdAt: Date.now() })
    // Together, because the runner of this server would take it in between.
    await used.server.store.atomically(function* ({ exportJobs }) {
      yield* exportJobs.start(job, undefined, 0)
      yield* exportJobs.claim('test', Date.now(), 60_000)
    })
    const listed = await used.ask('GET', '/quire/v1/exports?limit=1')
    expect(listed.json).toMatchObject({ exports: [{ jobId: job.jobId, domain: job.request.domain }], nextCursor: null })
    expect((await used.ask('GET', '/quire/v1/exports?domain=none.example')).json).toEqual({
      exports: [],
      nextCursor: null,
    })
    const path = `/quire/v1/exports/${job.jobId}`
    expect((await used.ask('DELETE', path)).json.code).toBe('export_open')
    const cancelled = await used.ask('POST', `${path}/cancel`)
    expect(cancelled).toMatchObject({
      status: 200,
      json: { status: 'failed', error: expect.stringContaining('Cancelled by key') },
    })
    expect((await used.ask('POST', `${path}/cancel`)).json.code).toBe('export_ended')
    expect((await used.ask('DELETE', path, undefined, used.keys.other)).json.code).toBe('unknown_export_job')
    expect(await used.ask('DELETE', path)).toEqual(cancelled)
    expect((await used.ask('DELETE', path)).json.code).toBe('unknown_export_job')
  })
})

test('paths and methods that the document lacks are JSON errors', async () => {
  expect(await used.ask('GET', '/quire/v1/nothing')).toMatchObject({ status: 404, json: { code: 'unknown_path' } })
  const answer = await send(used.server.url, '/quire/v1/exports', { method: 'POST' })
  expect([answer.status, answer.headers.allow]).toEqual([405, 'GET'])
  expect((await used.ask('GET', `/quire/v1/projects/%/agent-jobs`)).json.code).toBe('malformed_path')
})

test('the server shows its document', async () => {
  const { json } = await send(used.server.url, '/quire/v1/openapi.json')
  expect(json.paths).toEqual(document.paths)
})

describe('the paths on which clients of such platforms start agents', () => {
  const bodies = [{ prompt: 'Update the quickstart' }, { prompt: 'Update it', messages: [] }]
  const paths = ['/v2/agent/PROJECT/job', '/v1/agent/PROJECT/job', '/v2/agent/PROJECT/job/aj_9c41d2e0b7a65f38/message']
  test.each(paths)('POST %s says what to do where no agents run', async path => {
    const [body, other] = bodies
    const answer = await used.ask('POST', path.replace('PROJECT', used.projectId), body)
    expect(answer).toMatchObject({ status: 501, json: { code: 'no_agent_runner' } })
    expect(answer.json.error).toContain('reportAgentJob')
    const refused = await used.ask('POST', path.replace('PROJECT', used.projectId), other)
    expect(refused).toMatchObject({ status: 400, json: { error: expect.stringContaining('messages') } })
  })

  test.each(paths)('POST %s needs a key with the scope write, and a project of its organization', async path => {
    const known = path.replace('PROJECT', used.projectId)
    expect((await used.ask('POST', known, bodies[0], 'wrong')).status).toBe(401)
    expect((await used.ask('POST', known, bodies[0], used.keys.ingest)).json.code).toBe('missing_scope')
    const unknown = await used.ask('POST', path.replace('PROJECT', 'other'), bodies[0])
    expect(unknown).toMatchObject({ status: 404, json: { code: 'unknown_project' } })
  })
})
