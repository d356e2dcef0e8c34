import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { AgentJob } from '../../../server/agent/agent-job.ts'
import type { Confinement } from '../../../server/agent/agent-settings.ts'
import { openPostgres } from '../../../server/store/open-postgres.ts'
import { openStore, type Store } from '../../../server/store/store.ts'
import { bubblewrap, listLeft } from '../../support/agent-session.ts'
import { createDocsRepository } from '../../support/docs-repository.ts'
import { createTestDatabase, findPostgres, type TestDatabase } from '../../support/postgres/test-database.ts'
import { startProgram } from '../../support/program.ts'
import { createRandom } from '../../support/random.ts'
import { rounds } from '../../support/rounds.ts'
import { createOrganization } from '../../support/server.ts'
import type { RunnerProcessOptions } from './runner-process.ts'

const found = await findPostgres()
const skipped = 'missing' in found ? `: ${found.missing}` : ''
const kills = rounds(50)
const jobs = rounds(100)
const script = join(import.meta.dirname, 'runner-process.ts')
const pageUrl = 'https://git.example.com/acme/docs'
const outcome = `${kills} kills of runners during ${jobs} jobs lose none, push none twice, and leave nothing`

describe.skipIf(bubblewrap === undefined)('with bubblewrap', () => {
  const confinement = bubblewrap as Confinement
  test(`on SQLite, ${outcome}`, () => killOften(confinement))

  test.skipIf('missing' in found)(`on PostgreSQL, with two nodes, ${outcome}${skipped}`, async () => {
    const database = await createTestDatabase('missing' in found ? '' : found.url)
    try {
      await killOften(confinement, database)
    } finally {
      await database.drop()
    }
  })
})

async function killOften(confinement: Confinement, database?: TestDatabase): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'quire-agent-kill-'))
  const repository = createDocsRepository({ 'docs/a.md': '# A\n\nThis is teh page.\n' })
  const store = database ? await openPostgres(database.url, { dataFolder: folder }) : openStore(folder)
  try {
    const { projectId } = await createOrganization(store)
    const source = { projectId, url: repository.path, page: pageUrl, branch: 'main', folders: ['docs'], isDraft: false }
    await store.agentSources.put({ ...source, forge: 'branch' }, null)
    const ids = await startJobs(store, projectId)
    const names = database ? ['one', 'two'] : ['one']
    for (const name of names) mkdirSync(join(folder, name))
    await killRunners(names, { folder, database: database?.url, confinement })
    const runners = names.map(name => startRunner({ folder, database: database?.url, name, confinement }))
    await untilAllEnded(store, projectId, ids)
    for (const runner of runners) await runner.end('SIGKILL')
    for (const id of ids) {
      expect(await store.agentRuns.find(projectId, id)).toMatchObject({ end: 'changed', changeBranch: `quire/${id}` })
      expect(repository.git('rev-list', '--count', `main..quire/${id}`)).toBe('1')
      await expectGaplessEvents(store, projectId, id)
    }
    expect(repository.git('branch', '--list', 'quire/*').split('\n')).toHaveLength(ids.length)
    expect(listLeft(folder)).toEqual([])
    // The last runners were killed too, and only the next one would remove their folders.
    const left = readdirSync(join(folder, 'agents')).map(name => readdirSync(join(folder, 'agents', name)))
    expect(left).toEqual(names.map(() => ['owner.lock']))
  } finally {
    await store.close()
    repository.dispose()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function startJobs(store: Store, projectId: string): Promise<string[]> {
  const ids = Array.from({ length: jobs }, (_, index) => `aj_${String(index).padStart(4, '0')}`)
  const limits = { active: 1000, openPullRequests: 1000 }
  for (const id of ids) {
    const job: AgentJob = {
      ...{ projectId, id, status: 'active', model: 'unknown', prLink: null, createdAt: Date.now(), archivedAt: null },
      source: { repository: pageUrl, ref: 'main' },
    }
    await store.agentRuns.start(job, { prompt: 'Fix the typo.', branch: 'main', folder: null, isDraft: false }, limits)
  }
  return ids
}

const startRunner = (options: RunnerProcessOptions) => startProgram([script, JSON.stringify(options)])

/** Starts the runners, kills one of them after a moment, starts it again, and so on. */
async function killRunners(names: readonly string[], options: Omit<RunnerProcessOptions, 'name'>): Promise<void> {
  const random = createRandom('kills of agent runners')
  const running = new Map(names.map(name => [name, startRunner({ ...options, name })]))
  for (let killed = 0; killed < kills; killed++) {
    const name = names[killed % names.length] as string
    const runner = running.get(name)
    await runner?.read(output => (output.includes('started') ? true : undefined))
    // Some jobs end in this time, and some do not.
    await pause(50 + 3000 * random())
    await runner?.end('SIGKILL')
    running.set(name, startRunner({ ...options, name }))
  }
  for (const runner of running.values()) await runner.end('SIGKILL')
}

async function untilAllEnded(store: Store, projectId: string, ids: readonly string[]): Promise<void> {
  for (;;) {
    const states = await Promise.all(ids.map(async id => (await store.agentRuns.find(projectId, id))?.state))
    if (states.every(state => state === 'ended')) return
    await pause(500)
  }
}

async function expectGaplessEvents(store: Store, projectId: string, id: string): Promise<void> {
  const events = await store.agentRuns.listEvents(projectId, id, 0, 1000)
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1))
  expect(events.filter(({ kind }) => kind === 'end')).toHaveLength(1)
}
