import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AgentJob } from '../../server/agent/agent-job.ts'
import {
  ask,
  closeWorld,
  openWorld,
  readEvents,
  runPath,
  untilEnded,
  type World,
  wait,
} from '../support/agent-world.ts'
import { createDocsRepository } from '../support/docs-repository.ts'
import { createApiKey, createOrganization } from '../support/server.ts'

describe('an agent at work', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld({ agent: 'demo' })
  })
  afterAll(() => closeWorld(world))

  test('changes the documentation on a branch of the repository, tells its events, and goes on after a message', async () => {
    const { projectId, repository, server } = world
    const started = await ask(world, 'POST', `/v2/agent/${projectId}/job`, { prompt: 'replace "teh" with "the"' })
    expect(started).toMatchObject({ status: 202, json: { status: 'active', model: 'demo', prLink: null } })
    const { id } = started.json
    const streamed = await ask(world, 'GET', runPath(projectId, id, 'events'), undefined, {
      Accept: 'text/event-stream',
    })
    expect(streamed.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'x-accel-buffering': 'no',
    })
    const events = readEvents(streamed.text)
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1))
    expect([events[0]?.kind, events.at(-1)?.kind]).toEqual(['prompt', 'end'])

    expect(await untilEnded(world, id)).toMatchObject({ end: 'changed', files: 1, added: 1, removed: 1 })
    expect(repository.git('show', `quire/${id}:docs/a.md`)).toBe('# A\n\nThis is the page.')
    expect(repository.git('log', '--format=%s', `main..quire/${id}`)).toBe('replace "teh" with "the"')
    const { json: change } = await ask(world, 'GET', runPath(projectId, id, 'change'))
    expect(change).toMatchObject({ files: [{ path: 'docs/a.md', status: 'changed', added: 1, removed: 1 }] })
    expect(change.diff).toContain('-This is teh page.\n+This is the page.')
    const { json: job } = await ask(world, 'GET', `/v2/agent/${projectId}/job/${id}`)
    const page = `${server.url}/dashboard/${world.organizationId}/agent-jobs/${projectId}/${id}`
    expect(job).toMatchObject({ status: 'completed', prLink: page })

    const message = { prompt: 'replace "page" with "sheet"' }
    const again = await ask(world, 'POST', `/v2/agent/${projectId}/job/${id}/message`, message)
    expect(again).toMatchObject({ status: 202, json: { id, status: 'active', prLink: null } })
    expect(await untilEnded(world, id)).toMatchObject({ end: 'changed', turn: 2 })
    expect(repository.git('show', `quire/${id}:docs/a.md`)).toBe('# A\n\nThis is the sheet.')
    expect(repository.git('log', '--format=%s', `main..quire/${id}`).split('\n')).toHaveLength(2)
  })

  test.each([
    [{ branch: 'mian' }, 'unknown_branch', 'The repository has no branch mian. It has main.'],
    [
      { folder: 'docs/guide' },
      'unknown_folder',
      'The branch main has no folder docs/guide with files that an agent may change. It has docs.',
    ],
  ])('a job with %j ends at once as %s', async (field, end, explanation) => {
    const { projectId } = world
    const { json } = await ask(world, 'POST', `/v2/agent/${projectId}/job`, {
      prompt: 'replace "a" with "b"',
      ...field,
    })
    expect(await untilEnded(world, json.id)).toMatchObject({ end, explanation, modelCalls: 0 })
  })

  test('a stream goes on after the last event that arrived', async () => {
    const { projectId } = world
    const { json } = await ask(world, 'POST', `/v1/agent/${projectId}/job`, { prompt: 'replace "This" with "That"' })
    await untilEnded(world, json.id)
    const path = runPath(projectId, json.id, 'events')
    const all = readEvents((await ask(world, 'GET', path, undefined, { Accept: 'text/event-stream' })).text)
    const since = { Accept: 'text/event-stream', 'Last-Event-ID': '3' }
    expect(readEvents((await ask(world, 'GET', path, undefined, since)).text)).toEqual(all.slice(3))
    const { json: page } = await ask(world, 'GET', `${path}?after=3&limit=2`)
    expect(page).toEqual({ events: all.slice(3, 5), state: 'ended' })
    expect((await ask(world, 'GET', path, undefined, { ...since, 'Last-Event-ID': 'x' })).status).toBe(400)
  })

  test('of a log that has expired, the instruction and its end are left, and the run says so', async () => {
    const { projectId, server } = world
    const { json } = await ask(world, 'POST', `/v2/agent/${projectId}/job`, { prompt: 'replace "teh" with "the"' })
    const { events } = await untilEnded(world, json.id)
    await server.store.agentRuns.expireLogs(Date.now() + 1000, 1000)
    const read = async (part: string) => (await ask(world, 'GET', runPath(projectId, json.id, part))).json
    expect(await read('run')).toMatchObject({ end: 'changed', events, expiredEvents: events })
    const left = [
      { sequence: 1, kind: 'prompt' },
      { sequence: events, kind: 'end', outcome: 'changed' },
    ]
    expect(await read('events')).toMatchObject({ events: left, state: 'ended' })
    const path = runPath(projectId, json.id, 'events')
    const stream = await ask(world, 'GET', path, undefined, { Accept: 'text/event-stream' })
    expect(readEvents(stream.text)).toMatchObject(left)
    expect(await read('change')).toEqual({ files: [], diff: '', truncated: false })
  })
})

describe('an agent that never answers', () => {
  let world: World
  let blocker: unknown
  beforeAll(async () => {
    const folder = createDocsRepository({ 'x/x': '' })
    const agentsFile = join(folder.path, 'agents.json')
    writeFileSync(agentsFile, JSON.stringify({ deaf: { command: ['/bin/sleep', '600'], model: 'm' } }))
    const limits = { agentActiveJobs: 3, agentPullRequests: 1, agentJobsHour: 12 }
    world = await openWorld({ agent: 'deaf', agentsFile, agentModelUrl: 'http://127.0.0.1:9/v1', ...limits })
    folder.dispose()
    blocker = (await start()).json.id
    for (let i = 0; i < 100; i++) {
      const { json } = await ask(world, 'GET', runPath(world.projectId, blocker, 'run'))
      if (json.state === 'running') break
      await wait(50)
    }
  })
  afterAll(() => closeWorld(world))

  const start = (body: object = {}, projectId = world.projectId) =>
    ask(world, 'POST', `/v2/agent/${projectId}/job`, { prompt: 'Fix it.', ...body })
  const cancel = (id: unknown) => ask(world, 'POST', runPath(world.projectId, id, 'cancel'))

  test('a queued job is cancelled at once', async () => {
    const { json } = await start({ branch: 'next', folder: 'docs/', draft: true })
    expect(json.source).toEqual({ repository: 'https://git.example.com/acme/docs', ref: 'next' })
    expect((await ask(world, 'GET', runPath(world.projectId, json.id, 'run'))).json).toMatchObject({
      ...{ state: 'queued', branch: 'next', folder: 'docs', draft: true, end: null },
    })
    const path = `/v2/agent/${world.projectId}/job/${json.id}/message`
    expect(await ask(world, 'POST', path, { prompt: 'x' })).toMatchObject({
      status: 409,
      json: { code: 'illegal_transition' },
    })
    expect(await cancel(json.id)).toMatchObject({ status: 202, json: { state: 'ended', end: 'cancelled' } })
    expect(await cancel(json.id)).toMatchObject({ status: 409, json: { code: 'illegal_transition' } })
    expect((await ask(world, 'GET', `/v2/agent/${world.projectId}/job/${json.id}`)).json.status).toBe('failed')
  })

  test.each([
    [{ folder: 'secret' }, 'folder: secret is not within the folders that agents may change: docs.'],
    [{ folder: '../docs' }, /^folder: "\.\.\/docs" must be a path from the top of the repository/],
    [{ folder: 'docs/.git' }, /^folder: .* is hidden/],
    [{ branch: '--upload-pack=x' }, /^branch: /],
    [{ prompt: '' }, /prompt/],
    [{ prompt: ' \n\t' }, /^prompt must be text that is not only white space/],
    [{ repository: 'x' }, /repository/],
  ])('%j is refused, and nothing is started', async (body, sentence) => {
    const before = (await world.server.store.agentJobs.list(world.projectId)).length
    const { status, json } = await start(body)
    const field = Object.keys(body)[0]
    expect([status, json]).toEqual([
      400,
      expect.objectContaining({
        error: expect.stringMatching(sentence),
        details: [expect.objectContaining({ field })],
      }),
    ])
    expect(await world.server.store.agentJobs.list(world.projectId)).toHaveLength(before)
  })

  test('a project without a repository answers what to do', async () => {
    const other = await createOrganization(world.server.store)
    const { key } = await createApiKey(world.server.store, other.organizationId)
    const answer = await ask({ ...world, key }, 'POST', `/v2/agent/${other.projectId}/job`, { prompt: 'x' })
    expect(answer).toMatchObject({ status: 409, json: { code: 'no_agent_source' } })
    const foreign = await ask({ ...world, key }, 'GET', runPath(world.projectId, blocker, 'events'))
    expect(foreign).toMatchObject({ status: 404, json: { code: 'unknown_project' } })
  })

  test('a job that was only reported has no run', async () => {
    const job: AgentJob = {
      ...{ projectId: world.projectId, id: 'aj_told', status: 'failed', model: 'm', prLink: null, createdAt: 1 },
      ...{ source: { repository: 'https://git.example.com/x', ref: null }, archivedAt: null },
    }
    await world.server.store.agentJobs.insert(job)
    for (const part of ['run', 'change', 'events'])
      expect((await ask(world, 'GET', runPath(world.projectId, 'aj_told', part))).json.code).toBe('unknown_agent_run')
    const message = await ask(world, 'POST', `/v2/agent/${world.projectId}/job/aj_told/message`, { prompt: 'x' })
    expect(message).toMatchObject({ status: 409, json: { code: 'illegal_transition' } })
  })

  test('limits are answered with Retry-After, each with its remedy', async () => {
    await start()
    await start()
    const active = await start()
    expect(active).toMatchObject({ status: 429, json: { code: 'agent_limit' }, headers: { 'retry-after': '60' } })
    for (let i = 0; i < 12; i++) await start()
    const spent = await start()
    expect(spent).toMatchObject({ status: 429, json: { code: 'rate_limited' } })
    expect(Number(spent.headers['retry-after'])).toBeGreaterThan(3000)
  })

  test('a running job is cancelled within 5 seconds, and nothing is pushed', async () => {
    expect(await cancel(blocker)).toMatchObject({ status: 202, json: { cancelling: true } })
    expect(await untilEnded(world, blocker)).toMatchObject({ end: 'cancelled', commit: null })
    expect(world.repository.git('branch', '--list', `quire/${blocker}`)).toBe('')
  })
})
