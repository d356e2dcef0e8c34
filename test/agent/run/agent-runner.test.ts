import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { AgentJob } from '../../../server/agent/agent-job.ts'
import type { AgentRuns } from '../../../server/agent/agent-run.ts'
import type { Agent } from '../../../server/agent/agent-settings.ts'
import type { AgentSource } from '../../../server/agent/agent-source.ts'
import { startAgentRunner } from '../../../server/agent/run/agent-runner.ts'
import type { AgentRunnerSettings } from '../../../server/agent/runner-settings.ts'
import { runVariable } from '../../../server/agent/session/plan-start.ts'
import { createDemoAgent } from '../../../server/agent/session/presets.ts'
import { describeProgram } from '../../../server/assets.ts'
import { lockFolder } from '../../../server/store/folder-lock.ts'
import { openStore, type SqliteStore } from '../../../server/store/store.ts'
import { createId } from '../../../server/tenancy/id.ts'
import { bubblewrap } from '../../support/agent-session.ts'
import { createDocsRepository, type DocsRepository } from '../../support/docs-repository.ts'
import { fakeAgent, usualLimits } from '../../support/fake-agents.ts'
import { createOrganization } from '../../support/server.ts'

let folder: string
let store: SqliteStore
let repository: DocsRepository
let projectId: string
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-runner-'))
  store = openStore(folder)
  repository = createDocsRepository({ 'docs/a.md': '# A\n\nThis is teh page.\n', 'README.md': 'x\n' })
  projectId = (await createOrganization(store)).projectId
  await putSource()
})
afterEach(async () => {
  await store.close()
  repository.dispose()
  rmSync(folder, { recursive: true, force: true })
})

async function putSource(fields: Partial<AgentSource> = {}): Promise<void> {
  const page = 'https://git.example.com/acme/docs'
  const source = { projectId, url: repository.path, page, branch: 'main', folders: ['docs'], isDraft: false }
  await store.agentSources.put({ ...source, forge: 'branch', ...fields }, null)
}

async function startJob(prompt = 'Fix the typo.'): Promise<string> {
  const id = createId('aj')
  const job: AgentJob = {
    ...{ projectId, id, status: 'active', model: 'unknown', prLink: null, createdAt: Date.now(), archivedAt: null },
    source: { repository: 'https://git.example.com/acme/docs', ref: 'main' },
  }
  const limits = { active: 99, openPullRequests: 99 }
  await store.agentRuns.start(job, { prompt, branch: 'main', folder: null, isDraft: false }, limits)
  return id
}

function startRunner(
  agent: Agent,
  settings: Partial<AgentRunnerSettings> = {},
  agentRuns: AgentRuns = store.agentRuns,
) {
  const silent = { info: () => {}, warn: () => {}, error: () => {} }
  const own = {
    agent,
    confinement: bubblewrap ?? { kind: 'none' },
    endpoint: null,
    limits: usualLimits,
    check: undefined,
  }
  return startAgentRunner({
    ...{ agentRuns, agentSources: store.agentSources, leaseMs: 5000, now: Date.now, log: silent },
    openCredential: () => ({ user: 'x', secret: 'x' }),
    settings: { ...own, jobsAtOnce: 2, perProject: 2, ...settings } as AgentRunnerSettings,
    relay: describeProgram('agent/session/relay'),
    pageOf: async (_, jobId) => `https://quire.example.com/${jobId}`,
    workFolders: join(folder, 'agents'),
    lockFolder,
    owner: 'test',
  })
}

async function untilEnded(id: string) {
  for (let i = 0; i < 600; i++) {
    const run = await store.agentRuns.find(projectId, id)
    if (run?.state === 'ended') return { run, job: await store.agentJobs.find(projectId, id) }
    await new Promise(done => setTimeout(done, 50))
  }
  throw new Error('The run did not end.')
}

/** Lets an agent work on one job. */
async function runJob(agent: Agent, settings: Partial<AgentRunnerSettings> = {}) {
  const runner = startRunner(agent, settings)
  try {
    const id = await startJob()
    const ended = await untilEnded(id)
    return { id, ...ended, branches: repository.git('branch', '--format=%(refname:short)').split('\n') }
  } finally {
    await runner.stop()
    expect(readdirSync(join(folder, 'agents'))).toEqual([])
  }
}

test.for([
  ['nochange', 'completed', 'no_change', 'Nothing changed.'],
  ['crash', 'failed', 'agent_crashed', 'exit code 3'],
  ['refuse', 'failed', 'agent_refused', 'refused'],
  ['v99', 'failed', 'agent_unusable', 'version 99'],
] as const)('an agent that ends with %s pushes nothing: %s, %s', async ([mode, status, end, sentence]) => {
  const { run, job, branches } = await runJob(fakeAgent(mode))
  expect([job?.status, run.end, run.explanation]).toEqual([status, end, expect.stringContaining(sentence)])
  expect(job).toMatchObject({ prLink: null, model: 'fake-1' })
  expect(branches).toEqual(['main'])
})

test.for([
  [{ timeoutMs: 1500 }, 'slow', 'time_limit'],
  [{ changedFiles: 0 }, 'ok', 'change_limit'],
] as const)('a limit ends a job, and nothing is pushed: %o', async ([limits, mode, end]) => {
  const { run, branches } = await runJob(fakeAgent(mode), { limits: { ...usualLimits, ...limits } })
  expect(run.end).toBe(end)
  expect(branches).toEqual(['main'])
})

test('a change becomes a commit on a branch that the job names, with the page of the job as its link', async () => {
  const { id, run, job, branches } = await runJob(fakeAgent('ok'))
  expect(run).toMatchObject({
    end: 'changed',
    files: 1,
    changeBranch: `quire/${id}`,
    explanation: expect.stringContaining('1 file'),
  })
  expect(job).toMatchObject({ status: 'completed', prLink: `https://quire.example.com/${id}` })
  expect(branches).toEqual(['main', `quire/${id}`])
  expect(repository.git('log', '-1', '--format=%B', `quire/${id}`)).toBe(
    `Fix the typo.\n\nAgent job: ${id}\nModel: fake-1`,
  )
  expect(repository.git('diff', '--name-only', 'main', `quire/${id}`)).toBe('docs/a.md')
})

test('with AGit, a second instruction goes on from the pull request, also after a runner was lost just before its push', async () => {
  await putSource({ forge: 'agit' })
  repository.git('config', 'receive.procReceiveRefs', 'refs/for')
  repository.git('config', 'receive.advertisePushOptions', 'true')
  const hook = resolve(import.meta.dirname, '../change/fixtures/proc-receive.mjs')
  mkdirSync(join(repository.path, 'hooks'), { recursive: true })
  const script = `#!/bin/sh\nexec ${process.execPath} ${hook}\n`
  writeFileSync(join(repository.path, 'hooks/proc-receive'), script, { mode: 0o755 })
  let losses = 0
  const notePush: AgentRuns['notePush'] = async (...given) =>
    (await store.agentRuns.notePush(...given)) && losses-- <= 0
  const demo = createDemoAgent(describeProgram('agent/session/demo-agent'))
  const runner = startRunner(demo, {}, { ...store.agentRuns, notePush })
  const id = await startJob('replace "teh" with "the"')
  expect(await untilEnded(id)).toMatchObject({ run: { end: 'changed', changeBranch: 'refs/pull/1/head' } })
  losses = 1
  const limits = { active: 9, openPullRequests: 9 }
  const prompt = 'replace "page" with "sheet"'
  await store.agentRuns.instruct({ projectId, id }, { prompt, limits, now: Date.now() })
  expect(await untilEnded(id)).toMatchObject({ run: { end: 'changed', changeBranch: 'refs/pull/1/head' } })
  expect(repository.git('show', 'refs/pull/1/head:docs/a.md')).toBe('# A\n\nThis is the sheet.')
  await runner.stop()
})

test('a check runs on a copy, and the agent is told once what failed', async () => {
  const failing = await runJob(fakeAgent('ok'), { check: 'echo built > docs/out.html; echo broken link; exit 1' })
  expect([failing.run.end, failing.branches]).toEqual(['check_failed', ['main']])
  const events = await store.agentRuns.listEvents(projectId, failing.id, 0, 500)
  const checks = events.filter(({ kind }) => kind === 'check')
  expect(checks.map(({ text, outcome }) => [text.trim(), outcome])).toEqual([
    ['broken link', 'failed'],
    ['broken link', 'failed'],
  ])
  const passing = await runJob(fakeAgent('ok'), { check: 'grep -q "the page" docs/a.md && echo built > docs/out.html' })
  expect(passing.run).toMatchObject({ end: 'changed', files: 1 })
})

test.for([
  ['sparse', 'change_limit'],
  ['fifo', 'change_refused'],
] as const)('a check does not run if the agent leaves what is never committed: %s', async ([mode, end]) => {
  const { id, run, branches } = await runJob(fakeAgent(mode), { check: 'true' })
  expect([run.end, branches]).toEqual([end, ['main']])
  const events = await store.agentRuns.listEvents(projectId, id, 0, 500)
  expect(events.filter(({ kind }) => kind === 'check')).toEqual([])
})

test('a repository that cannot be read, and a push that is refused, are told apart', async () => {
  await putSource({ url: join(folder, 'nothing.git') })
  expect((await runJob(fakeAgent('ok'))).run.end).toBe('source_unavailable')
  await putSource()
  repository.git('config', 'receive.denyNonFastForwards', 'true')
  repository.git('config', 'transfer.hideRefs', 'refs/heads/quire')
  expect((await runJob(fakeAgent('ok'))).run.end).toBe('push_refused')
})

test('an outcome that the database refuses ends the job as a fault, and it does not begin again', async () => {
  const end: AgentRuns['end'] = (lease, outcome, now) => {
    if (outcome.end === 'changed') throw new Error('refused')
    return store.agentRuns.end(lease, outcome, now)
  }
  const runner = startRunner(fakeAgent('ok'), {}, { ...store.agentRuns, end })
  const { run, job } = await untilEnded(await startJob())
  await runner.stop()
  expect([job?.status, run.end, run.changeBranch]).toEqual(['failed', 'internal', `quire/${run.jobId}`])
})

test('a cancelled agent ends within 5 seconds, and its job says so', async () => {
  const runner = startRunner(fakeAgent('slow'))
  const id = await startJob()
  while ((await store.agentRuns.find(projectId, id))?.state !== 'running')
    await new Promise(done => setTimeout(done, 20))
  await store.agentRuns.cancel(projectId, id, Date.now())
  expect(await untilEnded(id)).toMatchObject({ run: { end: 'cancelled', commit: null }, job: { status: 'failed' } })
  await runner.stop()
})

test('a stopped runner gives its job back, and the next one does it from the start', async () => {
  const id = await startJob()
  const first = startRunner(fakeAgent('slow'))
  while ((await store.agentRuns.find(projectId, id))?.state !== 'running')
    await new Promise(done => setTimeout(done, 20))
  await first.stop()
  expect(await store.agentRuns.find(projectId, id)).toMatchObject({ state: 'queued', end: null })
  const second = startRunner(createDemoAgent(describeProgram('agent/session/demo-agent')))
  expect(await untilEnded(id)).toMatchObject({ run: { state: 'ended' }, job: { model: 'demo' } })
  await second.stop()
})

test('processes and files of a killed runner are removed at the next start, and no others', async () => {
  const [killed, live] = ['killed', 'live'].map(name => join(folder, 'agents', name)) as [string, string]
  for (const path of [killed, live]) mkdirSync(join(path, 'aj_1-1', 'tree'), { recursive: true, mode: 0o300 })
  const unlock = lockFolder(live)
  const sleep = (home: string) =>
    spawn('sleep', ['600'], { env: { [runVariable]: 'x', HOME: home }, stdio: 'ignore', detached: true })
  const [own, ...others] = [killed, live, join(folder, 'other')].map(path => sleep(join(path, 'aj_1-1', 'home')))
  const ended = once(own as ChildProcess, 'exit')
  await startRunner(fakeAgent('ok')).stop()
  expect(await ended).toEqual([null, 'SIGKILL'])
  expect([existsSync(killed), existsSync(live)]).toEqual([false, true])
  expect(others.map(({ exitCode, signalCode }) => exitCode ?? signalCode)).toEqual([null, null])
  for (const other of others) other.kill('SIGKILL')
  unlock?.()
})

test('a runner that cannot make its folder tries again', async () => {
  writeFileSync(join(folder, 'agents'), '')
  const runner = startRunner(fakeAgent('nochange'))
  const id = await startJob()
  await new Promise(done => setTimeout(done, 100))
  rmSync(join(folder, 'agents'))
  expect((await untilEnded(id)).run.end).toBe('no_change')
  await runner.stop()
})
