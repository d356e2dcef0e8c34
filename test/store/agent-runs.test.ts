import { expect, test } from 'vitest'
import type { AgentJob } from '../../server/agent/agent-job.ts'
import type { ClaimedRun, RunOutcome } from '../../server/agent/agent-run.ts'
import { shareTests, type TestStore } from './stores.ts'
import { insertOrganizations, now, project } from './tenants.ts'

let store: TestStore
const stores = shareTests(async opened => {
  store = opened.store
  await insertOrganizations(store)
  await store.projects.insert(project('prj_a'))
  await store.projects.insert(project('prj_b'))
})

const limits = { active: 10, openPullRequests: 10 }
const usage = { modelCalls: 3, inputTokens: 900, outputTokens: null, cost: { amount: 0.02, currency: 'USD' } }
const change = {
  files: [
    { path: 'docs/a.md', status: 'changed', added: 2, removed: 1 },
    { path: 'docs/b.md', status: 'added', added: 5, removed: 0 },
  ],
  diff: '--- a/docs/a.md\n',
  isDiffCut: false,
} as const
const changed: RunOutcome = { end: 'changed', explanation: 'Changed 2 files.', prLink: null, change, usage }

const job = (id: string, projectId = 'prj_a', createdAt = now): AgentJob => ({
  projectId,
  id,
  status: 'active',
  source: { repository: 'https://git.example.com/docs', ref: 'main' },
  model: 'unknown',
  prLink: null,
  createdAt,
  archivedAt: null,
})

const start = (id: string, projectId = 'prj_a', createdAt = now, given = limits) =>
  store.agentRuns.start(
    job(id, projectId, createdAt),
    { prompt: 'Fix the typo.', branch: 'main', folder: null, isDraft: true },
    given,
  )
/** @param leaseMs 0 = the lease is lost at once, also by the clock of PostgreSQL. */
const claim = async (leaseMs = 60_000, perProject = 5) =>
  store.agentRuns.claim('runner', { model: 'writer-2', perProject, leaseMs, now })
const claimed = async (leaseMs?: number) => (await claim(leaseMs)) as ClaimedRun
const find = async (id: string) => ({
  job: await store.agentJobs.find('prj_a', id),
  run: await store.agentRuns.find('prj_a', id),
})
const listTexts = async (id: string, after = 0, limit = 100) =>
  (await store.agentRuns.listEvents('prj_a', id, after, limit)).map(({ sequence, text }) => `${sequence} ${text}`)

stores.describe('runs of agents', () => {
  test('a started run waits, is claimed once with the model of its runner, and ends with its job', async () => {
    expect(await start('aj_1')).toBeUndefined()
    expect(await find('aj_1')).toMatchObject({
      job: { status: 'active' },
      run: { state: 'queued', turn: 1, end: null },
    })
    const { run, job, lease, interruptions } = await claimed()
    expect([run.state, job.model, interruptions]).toEqual(['running', 'writer-2', 0])
    expect(await claim()).toBeUndefined()
    expect(await store.agentRuns.notePush(lease, 'quire/aj_1', 'c0ffee')).toBe(true)
    expect(await store.agentRuns.end(lease, { ...changed, prLink: 'https://git.example.com/pulls/1' }, now)).toBe(true)
    expect(await find('aj_1')).toMatchObject({
      job: { status: 'completed', prLink: 'https://git.example.com/pulls/1' },
      run: { state: 'ended', end: 'changed', files: 2, added: 7, removed: 1, usage, commit: 'c0ffee', events: 2 },
    })
    expect(await store.agentRuns.findChange('prj_a', 'aj_1')).toEqual(change)
    expect(await claim()).toBeUndefined()
  })

  test('a run is open from its start to its end, also while its runner is lost', async () => {
    const { hasOpen } = store.agentRuns
    expect(await hasOpen()).toBe(false)
    await start('aj_1')
    expect(await hasOpen()).toBe(true)
    await claimed(0)
    expect(await hasOpen()).toBe(true)
    await store.agentRuns.end((await claimed()).lease, changed, now)
    expect(await hasOpen()).toBe(false)
  })

  test('a lost run is claimed again from its start, and its first runner can no longer write', async () => {
    await start('aj_1')
    const { lease } = await claimed(0)
    const second = await claimed()
    expect([second.interruptions, second.lease.token]).toEqual([1, lease.token + 1])
    expect(await store.agentRuns.heartbeat(lease, 1000, now)).toBe('lost')
    expect(await store.agentRuns.append(lease, [{ kind: 'message', text: 'late' }], now)).toBe(false)
    expect(await store.agentRuns.notePush(lease, 'x', 'x')).toBe(false)
    expect(await store.agentRuns.end(lease, changed, now)).toBe(false)
    expect(await store.agentRuns.release(lease)).toBe(false)
    expect(await store.agentRuns.heartbeat(second.lease, 60_000, now)).toBe('held')
    expect(await store.agentRuns.release(second.lease)).toBe(true)
    expect(await claimed()).toMatchObject({ interruptions: 1, run: { state: 'running' } })
  })

  test('events are numbered without gaps, and can be read after any of them', async () => {
    await start('aj_1')
    const { lease } = await claimed()
    await store.agentRuns.append(
      lease,
      [
        { kind: 'message', text: 'b' },
        { kind: 'tool', text: 'c', outcome: 'ok' },
      ],
      now,
    )
    await store.agentRuns.append(lease, [], now)
    await store.agentRuns.append(lease, [{ kind: 'thought', text: 'd\0\ud800' }], now)
    await store.agentRuns.end(lease, changed, now)
    const all = ['1 Fix the typo.', '2 b', '3 c', '4 d\ufffd\ufffd', '5 Changed 2 files.']
    expect(await listTexts('aj_1')).toEqual(all)
    expect(await listTexts('aj_1', 2, 2)).toEqual(all.slice(2, 4))
    expect(await store.agentRuns.listEvents('prj_a', 'aj_1', 2, 1)).toEqual([
      { sequence: 3, at: now, kind: 'tool', text: 'c', outcome: 'ok' },
    ])
    expect(await store.agentRuns.listEvents('prj_b', 'aj_1', 0, 9)).toEqual([])
  })

  test('a queued run is cancelled at once, a running one by its runner, an ended one not', async () => {
    await start('aj_1')
    expect(await store.agentRuns.cancel('prj_a', 'aj_1', now)).toBe(true)
    expect(await find('aj_1')).toMatchObject({ job: { status: 'failed' }, run: { state: 'ended', end: 'cancelled' } })
    expect(await store.agentRuns.cancel('prj_a', 'aj_1', now)).toBe(false)
    await start('aj_2')
    const { lease } = await claimed()
    expect(await store.agentRuns.cancel('prj_a', 'aj_2', now)).toBe(true)
    expect(await store.agentRuns.heartbeat(lease, 60_000, now)).toBe('cancelling')
    expect(await store.agentRuns.cancel('prj_a', 'aj_9', now)).toBe(false)
  })

  test('a run whose runner is lost is cancelled at once', async () => {
    await start('aj_1')
    const { lease } = await claimed(0)
    expect(await store.agentRuns.cancel('prj_a', 'aj_1', now)).toBe(true)
    expect((await find('aj_1')).run).toMatchObject({ end: 'cancelled', explanation: expect.stringContaining('lost') })
    expect(await store.agentRuns.heartbeat(lease, 1000, now)).toBe('lost')
  })

  test('summaries have the beginning of the last instruction, of the jobs of a project', async () => {
    await start('aj_1')
    await store.agentRuns.start(
      job('aj_2'),
      { prompt: '\u{1f600}'.repeat(300), branch: 'main', folder: null, isDraft: true },
      limits,
    )
    await start('aj_3', 'prj_b')
    await start('aj_4')
    await store.agentRuns.cancel('prj_a', 'aj_1', now)
    const summaries = await store.agentRuns.listSummaries('prj_a', ['aj_1', 'aj_2', 'aj_3', 'aj_9'])
    expect(summaries.sort((a, b) => a.jobId.localeCompare(b.jobId))).toEqual([
      { jobId: 'aj_1', prompt: 'Fix the typo.', end: 'cancelled' },
      { jobId: 'aj_2', prompt: '\u{1f600}'.repeat(200), end: null },
    ])
    expect(await store.agentRuns.listSummaries('prj_a', [])).toEqual([])
  })

  test('what no database stores is replaced in instructions and in explanations of an end', async () => {
    const given = { prompt: 'a\0', branch: 'main', folder: null, isDraft: true }
    await store.agentRuns.start(job('aj_1'), given, limits)
    const { lease } = await claimed()
    await store.agentRuns.end(lease, { ...changed, explanation: 'b\0\ud800' }, now)
    await store.agentRuns.instruct({ projectId: 'prj_a', id: 'aj_1' }, { prompt: 'c\0', limits, now })
    expect(await listTexts('aj_1')).toEqual(['1 a\ufffd', '2 b\ufffd\ufffd', '3 c\ufffd'])
    expect(await store.agentRuns.listPrompts('prj_a', 'aj_1')).toEqual(['a\ufffd', 'c\ufffd'])
  })
})

stores.describe('logs of agents', () => {
  test('the log of a run expires after its end, a part at a time, and its instructions and ends stay', async () => {
    await start('aj_1')
    const { lease } = await claimed()
    await store.agentRuns.append(
      lease,
      ['a', 'b', 'c'].map(text => ({ kind: 'message' as const, text })),
      now,
    )
    expect(await store.agentRuns.expireLogs(now + 9, 100)).toBe(0)
    await store.agentRuns.end(lease, changed, now)
    await start('aj_2')
    await store.agentRuns.end((await claimed()).lease, changed, now + 1)

    expect(await store.agentRuns.expireLogs(now, 100)).toBe(0)
    expect(await store.agentRuns.expireLogs(now + 1, 3)).toBe(3)
    expect(await listTexts('aj_1')).toEqual(['1 Fix the typo.', '4 c', '5 Changed 2 files.'])
    expect(await store.agentRuns.expireLogs(now + 1, 3)).toBe(2)
    expect(await store.agentRuns.expireLogs(now + 1, 3)).toBe(0)
    expect(await listTexts('aj_1')).toEqual(['1 Fix the typo.', '5 Changed 2 files.'])
    expect(await store.agentRuns.findChange('prj_a', 'aj_1')).toBeUndefined()
    expect(await find('aj_1')).toMatchObject({
      job: { status: 'completed' },
      run: { events: 5, expiredEvents: 5, files: 2 },
    })
    expect(await store.agentRuns.findChange('prj_a', 'aj_2')).toEqual(change)

    await store.agentRuns.instruct({ projectId: 'prj_a', id: 'aj_1' }, { prompt: 'More.', limits, now })
    expect(await store.agentRuns.expireLogs(now + 1, 100)).toBe(0)
    expect(await listTexts('aj_1')).toEqual(['1 Fix the typo.', '5 Changed 2 files.', '6 More.'])
    expect(await store.agentRuns.listPrompts('prj_a', 'aj_1')).toEqual(['Fix the typo.', 'More.'])
  })
})

stores.describe('limits and turns of agents', () => {
  test('limits of a project refuse a start, and other projects are not concerned', async () => {
    const tight = { active: 1, openPullRequests: 1 }
    await start('aj_1')
    expect(await start('aj_2', 'prj_a', now, tight)).toBe('active')
    expect(await store.agentJobs.find('prj_a', 'aj_2')).toBeUndefined()
    expect(await start('aj_3', 'prj_b', now, tight)).toBeUndefined()
    const { lease } = await claimed()
    await store.agentRuns.end(lease, { ...changed, prLink: 'https://git.example.com/1' }, now)
    expect(await start('aj_2', 'prj_a', now, tight)).toBe('openPullRequests')
  })

  test('only so many runs of a project are claimed at once, and the oldest first', async () => {
    await start('aj_2', 'prj_a', now + 1)
    await start('aj_1', 'prj_a', now)
    await start('aj_3', 'prj_b', now + 2)
    const order = [await claim(60_000, 1), await claim(60_000, 1), await claim(60_000, 1)]
    expect(order.map(each => each?.run.jobId)).toEqual(['aj_1', 'aj_3', undefined])
  })

  test('nodes that claim at the same moment keep to the limit of a project together', async () => {
    for (let number = 1; number <= 6; number++) await start(`aj_${number}`, 'prj_a', now + number)
    const other = await stores.openOther()
    const options = { model: 'writer-2', perProject: 2, leaseMs: 60_000, now }
    const nodes = [store, other, store, other, store, other]
    const won = await Promise.all(nodes.map(async node => node.agentRuns.claim('runner', options)))
    expect(won.filter(each => each !== undefined).length).toBeLessThanOrEqual(2)
    const running = await Promise.all([1, 2, 3, 4, 5, 6].map(number => find(`aj_${number}`)))
    expect(running.filter(({ run }) => run?.state === 'running').length).toBeLessThanOrEqual(2)
    expect(won.some(each => each !== undefined)).toBe(true)
  })

  test('a message makes an ended job active again, and a failed turn keeps the pull request of the one before', async () => {
    const stillThere = 'The earlier change stays on quire/aj_1.'
    const instruct = (id = 'aj_1', projectId = 'prj_a') =>
      store.agentRuns.instruct({ projectId, id }, { prompt: 'And the other one.', limits, now })
    await start('aj_1')
    expect(await instruct()).toBe('isActive')
    const first = await claimed()
    await store.agentRuns.notePush(first.lease, 'quire/aj_1', 'c0ffee')
    await store.agentRuns.end(first.lease, { ...changed, prLink: 'https://git.example.com/1' }, now)
    expect(await instruct()).toBeUndefined()
    expect(await find('aj_1')).toMatchObject({
      job: { status: 'active', prLink: null },
      run: { state: 'queued', turn: 2, prompt: 'And the other one.', end: null, explanation: null },
    })
    const second = await claimed()
    const failed = { ...changed, end: 'time_limit', explanation: 'Too slow.', change: null } as const
    await store.agentRuns.end(second.lease, failed, now)
    expect(await find('aj_1')).toMatchObject({
      job: { status: 'failed', prLink: 'https://git.example.com/1' },
      run: { files: 2, end: 'time_limit', explanation: `Too slow. ${stillThere}` },
    })
    expect(await store.agentRuns.findChange('prj_a', 'aj_1')).toEqual(change)
    expect(await instruct()).toBeUndefined()
    await store.agentRuns.cancel('prj_a', 'aj_1', now)
    expect((await find('aj_1')).run?.explanation).toBe(`The job was cancelled before an agent began. ${stillThere}`)
    await store.agentJobs.archiveOlderThan(now + 1, now + 1, 10)
    expect(await instruct()).toBe('isArchived')
    await store.agentJobs.insert(job('aj_told'))
    expect(await instruct('aj_told')).toBe('notRun')
  })

  test('a deleted project takes its runs and events along', async () => {
    await start('aj_1')
    await store.projectRemoval.finish('prj_a', now)
    expect(await find('aj_1')).toEqual({ job: undefined, run: undefined })
    expect(await listTexts('aj_1')).toEqual([])
  })
})
