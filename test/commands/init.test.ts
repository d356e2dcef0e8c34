import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type InitWishes, initStore } from '../../server/commands/init-store.ts'
import { openStore, type Store } from '../../server/store/store.ts'
import { hashKey } from '../../server/tenancy/api-key.ts'
import { runQuire } from '../support/process.ts'

const wishes: InitWishes = { plan: 'enterprise', keyPrefix: 'quire_', expiresInDays: 90 }
const site = { domain: 'docs.example.com', origin: null }

let folder: string
let store: Store
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-init-'))
  store = openStore(join(folder, 'data'))
})
afterEach(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

test('the first time creates everything, and the key works', async () => {
  const { organization, project, key, site: made } = await initStore(store, { ...wishes, site }, 1000)
  expect(organization).toMatchObject({ name: 'Main', plan: 'enterprise', state: 'created' })
  expect(project).toMatchObject({ name: 'Documentation', state: 'created' })
  expect(made).toEqual({ ...site, projectId: project.id, state: 'created' })
  expect(key).toMatchObject({ name: 'admin', state: 'created', key: expect.stringMatching(/^quire_/) })
  const caller = await store.apiKeys.authenticate(hashKey(key.key ?? ''), 2000)
  expect(caller).toMatchObject({ organizationId: organization.id, scopes: ['read', 'write'] })
})

test('a new key expires after the days that are wished, or never', async () => {
  const { key } = await initStore(store, wishes, 1000)
  expect(key.expiresAt).toBe(1000 + 90 * 86_400_000)
  const other = await initStore(store, { ...wishes, key: 'ci', expiresInDays: 'never' }, 1000)
  expect([other.key.state, other.key.expiresAt]).toEqual(['created', null])
})

test('the second time keeps everything and shows no key', async () => {
  const first = await initStore(store, { ...wishes, org: 'Acme', project: 'Handbook', key: 'ci', site }, 1000)
  const second = await initStore(store, { ...wishes, site }, 2000)
  expect(second.organization).toEqual({ ...first.organization, state: 'kept' })
  expect(second.project).toEqual({ ...first.project, state: 'kept' })
  expect(second.site).toEqual({ ...first.site, state: 'kept' })
  expect(second.key).toEqual({ ...first.key, state: 'kept', key: null })
  expect([(await store.organizations.list()).length, (await store.apiKeys.list()).length]).toEqual([1, 1])
})

test('a revoked or expired key counts as none', async () => {
  const { key } = await initStore(store, wishes, 1000)
  await store.apiKeys.revoke(key.id, 1500)
  expect((await initStore(store, wishes, 2000)).key).toMatchObject({ state: 'created' })
})

test('of several organizations, one must be given, and nothing is created before', async () => {
  await initStore(store, { ...wishes, org: 'A' }, 1000)
  await initStore(store, { ...wishes, org: 'B' }, 1000)
  await expect(initStore(store, { ...wishes, site }, 1000)).rejects.toThrow(
    /^There are 2 such organizations\. Give the id of one with --org: org_\w+, org_\w+$/,
  )
  await expect(initStore(store, { ...wishes, org: 'A', project: 'x'.repeat(101) }, 1000)).rejects.toThrow(
    '101 characters',
  )
  expect((await store.projects.list()).length).toBe(2)
})

test('a site of another project is refused', async () => {
  await initStore(store, { ...wishes, site }, 1000)
  await expect(initStore(store, { ...wishes, project: 'Other', site }, 1000)).rejects.toThrow(
    /^docs\.example\.com is already a site of prj_\w+\. Give that project with --project\.$/,
  )
  expect((await store.projects.list()).length).toBe(1)
})

test('quire init sets up a folder and a unit, and can be repeated', async () => {
  const data = join(folder, 'new')
  const unit = join(folder, 'quire.service')
  const args = ['init', '--yes', '--json', '--data', data, '--unit', unit, '--public-url', 'https://api.example.com']
  const first = await runQuire(args)
  expect(first).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(first.stdout)).toMatchObject({
    dataFolder: data,
    key: { state: 'created', key: expect.stringMatching(/^quire_/), expiresAt: expect.stringMatching(/Z$/) },
    site: null,
    unit: {
      file: unit,
      state: 'created',
      commands: expect.arrayContaining([`chown -R quire: ${data}`, `install -m 644 ${unit} /etc/systemd/system/`]),
    },
  })
  const text = readFileSync(unit, 'utf8')
  expect(text).toContain(`ReadWritePaths=${data}\n`)
  expect(text).not.toContain('QUIRE_PORT')
  const second = await runQuire(args)
  expect(JSON.parse(second.stdout)).toMatchObject({ key: { state: 'kept', key: null }, unit: { state: 'kept' } })

  writeFileSync(unit, `${text}# changed\n`)
  expect(await runQuire([...args, '--org', 'Other'])).toMatchObject({
    code: 1,
    stderr: `${unit} exists and is different. Move it away, or give another name with --unit.\n`,
  })
  const { stdout } = await runQuire(['orgs', 'list', '--json', '--data', data])
  expect(JSON.parse(stdout)).toHaveLength(1)
})

test('quire init --expires-in-days never makes a key that does not expire', async () => {
  const args = ['init', '--yes', '--json', '--data', join(folder, 'new'), '--expires-in-days', 'never']
  expect(JSON.parse((await runQuire(args)).stdout)).toMatchObject({ key: { state: 'created', expiresAt: null } })
})

test.each<[string[], string]>([
  [[], 'This is not a terminal, so nothing can be asked. Give flags, and --yes for the defaults.\n'],
  [['--yes', '--origin', 'https://a.example/'], '--origin needs --site.\n'],
  [['--yes', '--unit', 'x', '--user', 'a b'], '--user a b is not a valid user name. Example: quire\n'],
  [['--yes', '--site', 'a/b'], '--site a/b is not a host name. Example: docs.example.com\n'],
])('quire init %j is wrong usage', async (args, stderr) => {
  expect(await runQuire(['init', '--data', join(folder, 'new'), ...args])).toEqual({ code: 2, stdout: '', stderr })
})
