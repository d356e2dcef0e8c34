import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStore } from '../../server/store/store.ts'
import { runQuire } from '../support/process.ts'

const red = '\u001b[31mred'
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-names-'))
  const store = openStore(folder)
  await store.organizations.insert({ id: 'org_0f3c9a1b2d4e5f60', name: 'Acme', plan: 'standard', createdAt: 0 })
  // Data of a version that accepted any name.
  await store.organizations.insert({ id: 'org_1f3c9a1b2d4e5f60', name: `${red}\nb`, plan: 'standard', createdAt: 0 })
  store.close()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.each([
  [['orgs', 'create', ' ']],
  [['projects', 'create', '', '--org', 'Acme']],
  [['keys', 'create', '', '--org', 'Acme']],
])('%j is wrong usage', async args => {
  const { code, stdout, stderr } = await runQuire([...args, '--data', folder])
  expect([code, stdout, stderr]).toEqual([
    2,
    '',
    expect.stringMatching(/^The name is empty\. A name must have 1 to 100 /),
  ])
})

test('a second organization of the same name is created, and said', async () => {
  const { code, stdout, stderr } = await runQuire(['orgs', 'create', ' Acme ', '--data', folder])
  expect([code, stderr]).toEqual([
    0,
    `Another organization has the name Acme too (org_0f3c9a1b2d4e5f60). Commands need the id of this one: ${stdout}`,
  ])
})

test('control characters of stored names are printed as escapes', async () => {
  const [list, json, plan] = await Promise.all([
    runQuire(['orgs', 'list', '--data', folder]),
    runQuire(['orgs', 'list', '--json', '--data', folder]),
    runQuire(['orgs', 'set-plan', `${red}\nb`, 'enterprise', '--data', folder]),
  ])
  expect(list.stdout).toContain('\\u001b[31mred\\nb')
  expect(plan.stdout).toBe('\\u001b[31mred\\nb (org_1f3c9a1b2d4e5f60) has the plan enterprise.\n')
  expect(JSON.parse(json.stdout)).toContainEqual(expect.objectContaining({ name: `${red}\nb` }))
  expect(list.stdout + json.stdout + plan.stdout).not.toContain('\u001b')
})
