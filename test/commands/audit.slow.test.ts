import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStore, type Store } from '../../server/store/store.ts'
import { queuedJob } from '../support/export-job.ts'
import { runQuire } from '../support/process.ts'

let folder: string
let store: Store
const quire = (...args: string[]) => runQuire([...args, '--data', folder])

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-audit-command-'))
  store = openStore(folder)
})
afterAll(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Returns the events since the one with this id, oldest first. */
async function listSince(id: number): Promise<{ action: string; subject: string; detail: string | null }[]> {
  const events = (await store.auditLog.list({ limit: 100 })).filter(event => event.id > id).reverse()
  return events.map(({ action, subject, detail }) => ({ action, subject, detail }))
}

const newestId = async () => (await store.auditLog.list({ limit: 1 }))[0]?.id ?? 0

test('every command that changes something appends one event, and one that changes nothing appends none', {
  timeout: 60_000,
}, async () => {
  const run = async (...args: string[]) => {
    const before = await newestId()
    const { code, stdout, stderr } = await quire(...args)
    return { out: stdout.trim(), code, stderr, events: await listSince(before) }
  }
  const org = await run('orgs', 'create', 'Acme', '--plan', 'enterprise')
  expect(org.events).toEqual([{ action: 'organization.created', subject: org.out, detail: 'Acme, plan enterprise' }])
  expect((await run('orgs', 'set-plan', 'Acme', 'standard')).events).toEqual([
    { action: 'organization.changed', subject: org.out, detail: 'plan standard' },
  ])
  const project = await run('projects', 'create', 'Docs', '--org', 'Acme')
  expect(project.events).toEqual([{ action: 'project.created', subject: project.out, detail: 'Docs' }])

  const site = ['docs.example.com'] as const
  const create = ['sites', 'create', ...site, '--project', 'Docs', '--no-probe']
  expect((await run(...create, '--allow-origin', 'http://10.0.0.7:9000')).events).toEqual([
    { action: 'site.created', subject: site[0], detail: 'origin https://docs.example.com/' },
  ])
  expect(await run(...create)).toMatchObject({ code: 1, events: [] })
  const changed = (detail: string) => [{ action: 'site.changed', subject: site[0], detail }]
  expect((await run('sites', 'set-origin', ...site, 'http://10.0.0.5/', '--no-probe')).events).toEqual(
    changed('origin http://10.0.0.5/'),
  )
  expect((await run('sites', 'set-allowed-origins', ...site)).events).toEqual(changed('allowed origins: none'))
  expect((await run('sites', 'set-features', ...site, '--remove-selector', '#ask')).events).toEqual(changed('rules: 1'))
  expect((await run('sites', 'schedule', ...site, '--weekly', 'mon@3:00', '--if-changed')).events).toEqual(
    changed('schedule: weekly mon@03:00, only if the site changed'),
  )
  expect((await run('sites', 'schedule', ...site)).events).toEqual([])
  expect((await run('sites', 'schedule', ...site, '--off')).events).toEqual(changed('schedule: off'))
  expect((await run('sites', 'forget-login', ...site)).events).toEqual(changed('login forgotten'))
  expect((await run('sites', 'delete', ...site)).events).toEqual([
    { action: 'site.deleted', subject: site[0], detail: null },
  ])
  expect(await run('sites', 'delete', ...site)).toMatchObject({ code: 1, events: [] })

  const key = await run('keys', 'create', 'ci', '--org', 'Acme')
  const keyId = (await store.apiKeys.list(org.out))[0]?.id
  const detail = `ci (...${key.out.slice(-4)})`
  expect(key.events).toEqual([{ action: 'key.created', subject: keyId, detail }])
  const rotated = await run('keys', 'rotate', 'ci')
  const [, replacing] = await store.apiKeys.list(org.out)
  expect(rotated.events).toEqual([
    { action: 'key.created', subject: replacing?.id, detail: `ci (...${rotated.out.slice(-4)})` },
    { action: 'key.rotated', subject: keyId, detail },
  ])
  expect(replacing).toMatchObject({ name: 'ci', scopes: ['read', 'write'], revokedAt: null })
  expect(await run('keys', 'rotate', 'ci')).toMatchObject({ code: 1, events: [] })
  expect(await run('keys', 'revoke', replacing?.id ?? '')).toMatchObject({ code: 0 })
  expect((await run('keys', 'revoke', 'ci')).events).toEqual([{ action: 'key.revoked', subject: keyId, detail }])

  const job = ['aj_1', '--project', 'Docs'] as const
  await quire('agent-jobs', 'create', '--id', ...job, '--repository', 'https://git.example.com/a', '--model', 'm')
  expect((await run('agent-jobs', 'fail', ...job)).events).toEqual([])
  expect((await run('agent-jobs', 'archive', ...job)).events).toEqual([
    { action: 'agent-job.archived', subject: 'aj_1', detail: project.out },
  ])
  expect(await run('agent-jobs', 'archive', ...job)).toMatchObject({ code: 1, events: [] })

  await store.exportJobs.start(
    queuedJob({ jobId: 'se_1', organizationId: org.out, createdAt: Date.now() }),
    undefined,
    0,
  )
  expect(await run('exports', 'delete', 'se_1')).toMatchObject({ code: 1, events: [] })
  expect((await run('exports', 'cancel', 'se_1')).events).toEqual([
    { action: 'export.cancelled', subject: 'se_1', detail: site[0] },
  ])
  expect(await run('exports', 'cancel', 'se_1')).toMatchObject({ code: 1, events: [] })
  expect((await run('exports', 'delete', 'se_1')).events).toEqual([
    { action: 'export.deleted', subject: 'se_1', detail: site[0] },
  ])

  expect(await run('orgs', 'delete', 'Acme')).toMatchObject({ code: 2, events: [] })
  expect((await run('orgs', 'delete', 'Acme', '--yes')).events).toEqual([
    { action: 'organization.deleted', subject: org.out, detail: 'Acme' },
  ])
  const events = await store.auditLog.list({ limit: 100 })
  expect(new Set(events.map(({ organizationId }) => organizationId))).toEqual(new Set([org.out]))
  expect(JSON.stringify(events)).not.toContain(key.out)
})

test('init appends the events of what it creates', async () => {
  const before = await newestId()
  await quire('init', '--yes', '--org', 'Init', '--site', 'init.example.com')
  const actions = ['organization.created', 'project.created', 'site.created', 'key.created']
  expect((await listSince(before)).map(({ action }) => action)).toEqual(actions)
  const after = await newestId()
  await quire('init', '--yes', '--org', 'Init', '--site', 'init.example.com')
  expect(await listSince(after)).toEqual([])
})

test('audit prints the newest first, one line for each event', async () => {
  const { code, stdout } = await quire('audit', '--limit', '3')
  expect(code).toBe(0)
  expect(stdout).toMatch(/^WHEN \(UTC\) +WHO +FROM +ACTION +SUBJECT +DETAIL$/m)
  expect(stdout).toContain(userInfo().username)
  expect(stdout.trim().split('\n')).toHaveLength(4)
  const events = JSON.parse((await quire('audit', '--limit', '3', '--json')).stdout)
  expect(events.map(({ action }: { action: string }) => action)).toEqual([
    'key.created',
    'site.created',
    'project.created',
  ])
  expect(events[0]).toMatchObject({ at: expect.stringMatching(/^\d{4}-.*Z$/), organizationId: expect.any(String) })
})

test('audit --org takes a name, an id, and the id of a deleted organization', async () => {
  const actions = async (org: string) =>
    JSON.parse((await quire('audit', '--org', org, '--json')).stdout).map(({ action }: { action: string }) => action)
  expect(await actions('Init')).toHaveLength(4)
  const deleted = (await store.auditLog.list({ limit: 100 })).find(({ action }) => action === 'organization.deleted')
  expect((await actions(deleted?.subject ?? ''))[0]).toBe('organization.deleted')
  expect(await quire('audit', '--org', 'Nobody')).toMatchObject({
    code: 1,
    stderr: 'There is no organization Nobody. See: npx quire orgs list\n',
  })
})

test('control characters of an event are printed as escapes', async () => {
  await store.auditLog.append({
    at: Date.now(),
    organizationId: null,
    action: 'signed-in',
    subject: 'usr_1',
    detail: '\u001b[2J',
    actor: 'Ada\u001b[31m',
    address: '203.0.113.9',
  })
  for (const flags of [[], ['--json']]) {
    const { stdout } = await quire('audit', '--limit', '1', ...flags)
    expect(stdout).toContain('signed-in')
    expect(stdout).not.toContain('\u001b')
  }
})

test('without events it says so', async () => {
  const empty = mkdtempSync(join(tmpdir(), 'quire-audit-empty-'))
  openStore(empty).close()
  expect(await runQuire(['audit', '--data', empty])).toMatchObject({ code: 0, stdout: 'No events yet.\n' })
  rmSync(empty, { recursive: true, force: true })
})
