import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDemoKey } from '../../server/commands/demo/demo-key.ts'
import { openStore, type Store } from '../../server/store/store.ts'
import { hashKey } from '../../server/tenancy/api-key.ts'
import { hashSecret } from '../../server/tenancy/sign-in.ts'
import { startQuire } from '../support/process.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-demo-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Introduced {
  url: string
  key: string
  projectId: string
  jobId: string
  dashboard: string | null
}

/** Starts the demo, reads its `--json`, asks with its key for the visitors, and ends it. */
async function runDemo(...args: string[]): Promise<Introduced & { status: number }> {
  const env = { QUIRE_VERIFY: 'static' }
  const demo = startQuire(['demo', '--json', '--port', '0', '--data', join(folder, 'data'), ...args], { env })
  const shown = await demo.read(() => /^\{\n[\s\S]*?^\}$/m.exec(demo.stdout())?.[0])
  const introduced: Introduced = JSON.parse(shown)
  const headers = { Authorization: `Bearer ${introduced.key}` }
  const { status } = await fetch(`${introduced.url}/v1/analytics/${introduced.projectId}/visitors`, { headers })
  expect(await demo.end('SIGINT')).toBe(0)
  return { ...introduced, status }
}

test('the demo keeps its key over restarts, until --new-key', async () => {
  const first = await runDemo()
  const second = await runDemo()
  expect([first.status, second.status, second.key]).toEqual([200, 200, first.key])
  const third = await runDemo('--new-key')
  expect(third.status).toBe(200)
  expect(third.key).not.toBe(first.key)
  const store = openStore(join(folder, 'data'))
  expect(await store.apiKeys.authenticate(hashKey(first.key), Date.now())).toBeUndefined()
  const operator = (await store.people.list(null))[0]
  expect(operator).toMatchObject({ name: 'operator' })
  for (const { url, dashboard } of [second, third]) {
    expect(dashboard).toMatch(new RegExp(`^${url}/dashboard/sign-in\\?token=[\\w-]{43}$`))
    const token = new URL(dashboard ?? '').searchParams.get('token') ?? ''
    expect(await store.signInLinks.find(hashSecret(token), Date.now())).toEqual(operator)
  }
  store.close()
  // The examples of the documentation name this export.
  expect(first.jobId).toBe('se_0f3c9a1b2d4e5f60')
  for (const name of readdirSync(join(folder, 'data')).filter(name => name.startsWith('quire.db'))) {
    expect(readFileSync(join(folder, 'data', name)).includes(third.key)).toBe(false)
  }
})

test('the demo agent makes the change that the banner asks for, on a branch of the repository of the demo', async () => {
  const data = join(folder, 'agent')
  const demo = startQuire(['demo', '--port', '0', '--data', data], { env: { QUIRE_VERIFY: 'static' } })
  await demo.read(() => demo.stdout().includes('Ctrl-C ends it'))
  const command = /^curl .*"prompt".*$/m.exec(demo.stdout())?.[0] ?? ''
  const { id } = JSON.parse(execFileSync('sh', ['-c', command], { encoding: 'utf8' }))
  const run = `${command.replace(/ -H 'Content-Type.*/, '')} ${/http\S+\/v2/.exec(command)?.[0].slice(0, -3)}/quire/v1/projects/${/prj_\w+/.exec(command)?.[0]}/agent-jobs/${id}/run`
  const readRun = () => JSON.parse(execFileSync('sh', ['-c', run], { encoding: 'utf8' }))
  await expect.poll(readRun, { timeout: 60_000 }).toMatchObject({ state: 'ended', end: 'changed', files: 3 })
  const repository = /^The demo agent pushes to (.*)\.$/m.exec(demo.stdout())?.[1] ?? ''
  const git = (...args: string[]) => execFileSync('git', ['--git-dir', repository, ...args], { encoding: 'utf8' })
  expect(git('diff', 'main', `quire/${id}`)).toContain('-1. Download teh package.\n+1. Download the package.')
  expect(await demo.end('SIGINT')).toBe(0)
})

test('without git, the demo starts, and its form says what is missing', async () => {
  const data = join(folder, 'no-git')
  const env = { QUIRE_VERIFY: 'static', PATH: folder }
  const demo = startQuire(['demo', '--json', '--port', '0', '--data', data], { env })
  const shown = await demo.read(() => /^\{\n[\s\S]*?^\}$/m.exec(demo.stdout())?.[0])
  const { url, dashboard, organizationId, hasRepository } = JSON.parse(shown)
  expect(hasRepository).toBe(false)
  const body = new URLSearchParams({ token: new URL(dashboard).searchParams.get('token') ?? '' })
  const headers = { 'Sec-Fetch-Site': 'same-origin' }
  const signedIn = await fetch(`${url}/dashboard/sign-in`, { method: 'POST', body, headers, redirect: 'manual' })
  const Cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const page = await (await fetch(`${url}/dashboard/${organizationId}/agent-jobs`, { headers: { Cookie } })).text()
  expect(page).toContain('No agent can be started on this server. The program git is not found; install')
  expect(await demo.end('SIGINT')).toBe(0)
})

test('the banner has a link to the dashboard, unless the dashboard is off', async () => {
  const data = join(folder, 'banner')
  const read = async (...args: string[]) => {
    const env = { QUIRE_VERIFY: 'static' }
    const demo = startQuire(['demo', '--port', '0', '--data', data, ...args], { env })
    await demo.read(() => demo.stdout().includes('Ctrl-C ends it'))
    await demo.end('SIGINT')
    return demo.stdout()
  }
  expect(await read()).toMatch(
    /^Documentation {5}\S+\nDashboard {9}http:\S+\/dashboard\/sign-in\?token=[\w-]{43} {3}\(works once, for 15 minutes\)\nAdmin/m,
  )
  expect(await read('--no-dashboard')).not.toMatch(/dashboard/i)
})

test.each([
  { args: [], env: {}, logs: false },
  { args: ['--log-level', 'info'], env: {}, logs: true },
  { args: ['--log-level', 'error'], env: { QUIRE_LOG_LEVEL: 'info' }, logs: false },
  { args: [], env: { QUIRE_LOG_LEVEL: 'info' }, logs: true },
])('with $args and $env, the demo logs at the level info: $logs', async ({ args, env, logs }) => {
  const data = join(folder, 'logging')
  const demo = startQuire(['demo', '--port', '0', '--data', data, ...args], { env: { QUIRE_VERIFY: 'static', ...env } })
  const url = await demo.read(() => /Quire serves at +(\S+)[\s\S]*Ctrl-C ends it/.exec(demo.stdout())?.[1])
  await fetch(`${url}/openapi.json`)
  expect(await demo.end('SIGINT')).toBe(0)
  expect(/"level":30/.test(demo.stdout())).toBe(logs)
  expect(statSync(join(data, 'demo-access.log')).mode & 0o777).toBe(0o600)
})

test('the key is in a file that only its owner can read, never expires, and is replaced when it does not work', async () => {
  const data = join(folder, 'key')
  const store: Store = openStore(data)
  store.organizations.insert({ id: 'org_1', name: 'Demo', plan: 'enterprise', createdAt: 0 })
  const open = (options = {}) =>
    openDemoKey(store, 'org_1', { dataFolder: data, keyPrefix: 'quire_', now: 1, newKey: false, ...options })
  const key = await open()
  expect(statSync(join(data, 'demo.key')).mode & 0o777).toBe(0o600)
  expect(readFileSync(join(data, 'demo.key'), 'utf8')).toBe(`${key}\n`)
  expect(await open()).toBe(key)
  expect((await store.apiKeys.list('org_1'))[0]?.expiresAt).toBeNull()
  const other = await open({ keyPrefix: 'acme_' })
  expect(other).toMatch(/^acme_/)
  const valid = (await store.apiKeys.list('org_1')).find(({ revokedAt }) => revokedAt === null)
  await store.apiKeys.revoke(valid?.id ?? '', 2)
  expect(await open({ keyPrefix: 'acme_' })).not.toBe(other)
  store.close()
})
