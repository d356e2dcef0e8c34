import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { formatDay, toDay } from '../../server/analytics/day.ts'
import { toViewBatch } from '../../server/analytics/view-batch.ts'
import { visitsCommand } from '../../server/commands/visits.ts'
import { openStore, type Store } from '../../server/store/store.ts'

const today = toDay(Date.now())
let folder: string
let store: Store

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-visits-prune-'))
  store = openStore(folder)
  store.organizations.insert({ id: 'org_1', name: 'Acme', plan: 'standard', createdAt: 0 })
  for (const id of ['prj_1', 'prj_2']) {
    store.projects.insert({
      id,
      organizationId: 'org_1',
      name: '',
      visitorSaltRotation: 'never',
      visitorRules: 2,
      createdAt: 0,
    })
    record(id, [today - 30, today - 9, today])
  }
})
afterEach(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Records one visitor, who comes on each of the days. */
function record(projectId: string, days: number[]) {
  const view = (day: number) => ({ visitor: Buffer.alloc(16, 1), path: '/a', day, kind: 'human' as const })
  return store.visits.recordBatch(projectId, toViewBatch(days.map(view)))
}

async function count(projectId: string): Promise<number> {
  return (await store.visits.countUniqueVisitors(projectId, {}, { limit: 1, offset: 0 })).totals.total
}

async function run(...args: string[]): Promise<{ output: string; error?: string; exitCode?: number }> {
  const printed = vi.spyOn(console, 'log').mockImplementation(() => undefined)
  const failure = await visitsCommand()
    .exitOverride()
    .parseAsync([...args, '--data', folder], { from: 'user' })
    .then(
      () => ({}),
      error => ({ error: error.message as string, exitCode: error.exitCode as number }),
    )
  const output = printed.mock.calls.flat().join('\n')
  printed.mockRestore()
  return { output, ...failure }
}

test('prune deletes the older days of one project, and prints how many', async () => {
  const before = formatDay(today - 10)
  const prune = ['prune', '--project', 'prj_1', '--keep-days', '10']
  expect(await run(...prune)).toEqual({ output: `Deleted 1 visitor day before ${before}.` })
  expect(JSON.parse((await run(...prune, '--json')).output)).toEqual({
    project: 'prj_1',
    keptFrom: before,
    visitorDays: 0,
    destroyedKeys: 0,
  })
  expect(await record('prj_1', [today - 11, today - 10])).toMatchObject({ tooOldViews: 1, newVisitorDays: 1 })
  expect(await record('prj_2', [today - 11])).toMatchObject({ tooOldViews: 0 })
})

test('prune destroys the keys of ended periods, and says how many', async () => {
  const project = { id: 'prj_day', visitorSaltRotation: 'day', visitorRules: 2 } as const
  store.projects.insert({ ...project, organizationId: 'org_1', name: '', createdAt: 0 })
  writeFileSync(join(folder, 'visitor.key'), Buffer.alloc(32))
  const keys = await store.visits.openVisitorKeys(() => 0)
  for (const day of [today - 9, today - 8, today]) keys.find(project, day)
  const prune = (graceDays: string) =>
    run('prune', '--project', 'prj_day', '--keep-days', '90', '--visitor-key-grace-days', graceDays)
  const deleted = `Deleted 0 visitor days before ${formatDay(today - 90)}.`
  expect(await prune('9')).toEqual({ output: deleted })
  expect(await prune('7')).toEqual({ output: `${deleted} Destroyed 2 visitor keys.` })
})

test('prune without --keep-days only destroys keys', async () => {
  await record('prj_1', [today - 30])
  expect(await run('prune', '--project', 'prj_1')).toEqual({ output: 'Destroyed 0 visitor keys.' })
  expect(await record('prj_1', [today - 30])).toMatchObject({ newVisitorDays: 0, tooOldViews: 0 })
})

test('reset deletes the visits of one project, which can be imported again', async () => {
  expect(await run('reset', '--project', 'prj_1', '--yes')).toEqual({ output: 'The visits of prj_1 are deleted.' })
  expect([await count('prj_1'), await count('prj_2')]).toEqual([0, 1])
  expect(await record('prj_1', [today])).toMatchObject({ newVisitorDays: 1 })
})

test.each([
  ['reset without --yes', ['reset', '--project', 'prj_1'], 2, /Confirm with --yes\.$/],
  ['reset of an unknown project', ['reset', '--project', 'prj_9', '--yes'], 1, /^There is no project prj_9\. See: /],
  ['prune of an unknown project', ['prune', '--project', 'prj_9', '--keep-days', '9'], 1, /^There is no project prj_9/],
])('refuses %s, and deletes nothing', async (_, args, exitCode, message) => {
  expect(await run(...args)).toMatchObject({ exitCode, error: expect.stringMatching(message), output: '' })
  expect(await count('prj_1')).toBe(1)
  expect(await record('prj_1', [today - 30])).toMatchObject({ newVisitorDays: 0, tooOldViews: 0 })
})
