import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStore } from '../../server/store/store.ts'
import { runQuire } from '../support/process.ts'
import { createApiKey } from '../support/server.ts'

let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-lists-'))
  const store = openStore(folder)
  const [id, project] = ['org_0f3c9a1b2d4e5f60', 'prj_0f3c9a1b2d4e5f60']
  const createdAt = Date.UTC(2026, 10, 22, 10, 11, 12)
  await store.organizations.insert({
    id,
    name: 'An organization with a long and descriptive name',
    plan: 'enterprise',
    createdAt,
  })
  const named = { id: project, organizationId: id, name: 'Handbook of everything, second edition' }
  await store.projects.insert({ ...named, visitorSaltRotation: 'never', visitorRules: 2, createdAt })
  const origin = 'https://preview.internal.example.com:8443/very/long/path/to/the/documentation/'
  await store.sites.insert({
    domain: 'documentation.of.the.handbook.example.com',
    projectId: project,
    origin,
    createdAt,
  })
  await createApiKey(store, id, { expiresAt: Date.UTC(2027, 0, 1) })
  const bounds = { projectIds: [project], allowedAddresses: ['203.0.113.0/24', '2001:db8::/32'] }
  await createApiKey(store, id, { scopes: ['ingest'], ...bounds })
  await store.agentJobs.insert({
    projectId: project,
    id: 'aj_0f3c9a1b2d4e5f60',
    status: 'completed',
    source: { repository: 'https://git.example.com/acme/handbook-of-everything', ref: 'main' },
    model: 'writer-2',
    prLink: 'https://git.example.com/acme/handbook-of-everything/pull/1234567',
    createdAt,
    archivedAt: null,
  })
  await store.people.insert({ id: 'usr_0f3c9a1b2d4e5f60', organizationId: id, name: 'Ada', createdAt })
  await store.auditLog.append({
    at: createdAt,
    organizationId: id,
    action: 'sign-in-link.created',
    subject: 'documentation.of.the.handbook.example.com',
    detail: 'origin https://preview.internal.example.com:8443/very/long/path/to/the/documentation/',
    actor: 'Ada (usr_0f3c9a1b2d4e5f60)',
    address: '2001:db8:85a3:8d3:1319:8a2e:370:7348',
  })
  store.close()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test.each([
  { list: ['orgs', 'list'], shows: /^org_0f3c9a1b2d4e5f60 .*2026-11-22 10:11$/m },
  { list: ['projects', 'list'], shows: /^prj_0f3c9a1b2d4e5f60 /m },
  { list: ['sites', 'list'], shows: /prj_0f3c9a1b2d4e5f60/ },
  { list: ['keys', 'list'], shows: /^ID +NAME +ORGANIZATION [\s\S]*^key_[0-9a-f]{16} +\S+ +An [\s\S]*valid/m },
  { list: ['keys', 'list'], shows: /^key_[0-9a-f]{16} +\S+ +An .*ingest +valid from +-$/m },
  {
    list: ['agent-jobs', 'list', '--project', 'Handbook of everything, second edition'],
    shows: /^ID +STATUS +CREATED.* LINK\b[\s\S]*^aj_0f3c9a1b2d4e5f60 +completed/m,
  },
  { list: ['exports', 'list'], shows: /no exports yet/ },
  { list: ['dashboard', 'people'], shows: /^usr_0f3c9a1b2d4e5f60 +Ada +An /m },
  { list: ['audit'], shows: /^2026-11-22 +Ada/m },
])('$list fits 80 columns', async ({ list, shows }) => {
  const { code, stdout } = await runQuire([...list, '--data', folder], { env: { COLUMNS: '80' } })
  expect(code).toBe(0)
  expect(stdout).toMatch(shows)
  expect(stdout.split('\n').filter(line => line.length > 80)).toEqual([])
})

test('the help of a group fits 80 columns', async () => {
  const { code, stdout } = await runQuire(['orgs', '--help'])
  expect([code, stdout.split('\n').filter(line => line.length > 80)]).toEqual([0, []])
})
