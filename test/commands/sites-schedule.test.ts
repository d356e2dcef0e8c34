import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { sitesCommand } from '../../server/commands/sites.ts'
import { openStore, type Store } from '../../server/store/store.ts'
import { createOrganization } from '../support/server.ts'

const domain = 'docs.example.com'
let folder: string
let store: Store
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-schedule-'))
  store = openStore(folder)
  const { projectId } = await createOrganization(store)
  await store.sites.insert({ domain, projectId, origin: null, createdAt: 0 })
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 29, 8, 30) })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Runs the command and returns what it prints. */
async function schedule(...args: string[]): Promise<string> {
  const lines: string[] = []
  const log = vi.spyOn(console, 'log').mockImplementation(line => void lines.push(line))
  const command = sitesCommand()
  for (const each of command.commands) each.exitOverride().configureOutput({ writeErr: () => {} })
  await command.parseAsync(['schedule', domain, ...args, '--data', folder], { from: 'user' })
  log.mockRestore()
  return lines.join('\n')
}

const none = `${domain} has no schedule: its exports are started by people and programs.`

test.each([
  [['--every', '6h'], 'every 6h. Next start: 2026-11-29 14:30 UTC.'],
  [['--daily', '03:00'], 'daily 03:00. Next start: 2026-11-30 03:00 UTC.'],
  [
    ['--weekly', 'mon@03:00', '--if-changed'],
    'weekly mon@03:00, only if the site changed. Next start: 2026-11-30 03:00 UTC.',
  ],
])('%j sets the schedule and says when the next export starts', async (args, sentence) => {
  expect(await schedule()).toBe(none)
  expect(await schedule(...args)).toBe(`${domain} has the schedule: ${sentence}`)
  expect(await schedule()).toBe(`${domain} has the schedule: ${sentence}`)
  expect(await schedule('--off')).toBe(none)
})

test('only a schedule that is removed is in the audit log', async () => {
  const listDetails = async () => (await store.auditLog.list({ limit: 9 })).map(({ detail }) => detail)
  await schedule('--off')
  expect(await listDetails()).toEqual([])
  await schedule('--daily', '03:00')
  await schedule('--off')
  await schedule('--off')
  expect((await listDetails()).sort()).toEqual(['schedule: daily 03:00', 'schedule: off'])
})

test('what came of the last start is shown, also as JSON, without the fingerprint', async () => {
  await schedule('--every', '24', '--if-changed')
  const at = Date.UTC(2026, 10, 30, 8, 30)
  const record = async (kind: 'unchanged' | 'active' | 'refused', problem: string | null = null) => {
    await store.siteSchedules.record(domain, { kind, at, problem })
    return (await schedule()).split('\n')[1]
  }
  const started = { jobId: 'se_1', fingerprint: 'abc' }
  await store.siteSchedules.record(domain, { kind: 'started', at: at - 1, problem: null }, started)
  expect((await schedule()).split('\n')[1]).toBe('Last: started an export, 2026-11-30 08:29 UTC.')
  expect(await record('unchanged')).toBe('Last: not changed since 2026-11-30 08:29 UTC, checked 2026-11-30 08:30 UTC.')
  expect(await record('active')).toBe(
    'Last: skipped, because an export of the site had not ended, 2026-11-30 08:30 UTC.',
  )
  expect(await record('refused', 'The queue is full.')).toBe(
    'Last: not started, 2026-11-30 08:30 UTC. The queue is full.',
  )
  expect(JSON.parse(await schedule('--json'))).toEqual({
    domain,
    schedule: {
      domain,
      rhythm: 'every 24h',
      onlyIfChanged: true,
      nextAt: '2026-11-30T08:30:00.000Z',
      jobId: 'se_1',
      startedAt: '2026-11-30T08:29:59.999Z',
      outcome: { kind: 'refused', at: new Date(at).toISOString(), problem: 'The queue is full.' },
    },
  })
  await schedule('--off')
  expect(JSON.parse(await schedule('--json'))).toEqual({ domain, schedule: null })
})

test.each([
  [['--every', '0'], 'must be a whole number of hours from 1 to 8784'],
  [['--daily', '25:00'], '--daily 25:00 must be a time of the day in UTC'],
  [['--weekly', '03:00'], 'must be a weekday (sun, mon, tue, wed, thu, fri, sat) and a time'],
  [['--daily', '03:00', '--off'], 'cannot be used with option'],
  [['--every', '6h', '--daily', '03:00'], 'cannot be used with option'],
  [['--if-changed'], 'Give --every, --daily or --weekly too.'],
])('%j is refused', async (args, problem) => {
  await expect(schedule(...args)).rejects.toThrow(problem)
  expect(await store.siteSchedules.find(domain)).toBeUndefined()
})

test('a site that is not registered has no schedule', async () => {
  await store.sites.delete(domain)
  for (const args of [['--every', '6h'], ['--off'], []]) {
    await expect(schedule(...args)).rejects.toThrow(`There is no site ${domain}.`)
  }
})
