import { mkdtempSync, rmSync } from 'node:fs'
import { hostname, tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStore, type Store } from '../../server/store/store.ts'
import { hashSecret } from '../../server/tenancy/sign-in.ts'
import { runQuire } from '../support/process.ts'

let folder: string
let data: string
let store: Store
let organizationId: string
const quire = (...args: string[]) => runQuire([...args, '--data', data])

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-dashboard-'))
  data = join(folder, 'data')
  store = openStore(data)
  organizationId = (await quire('orgs', 'create', 'Acme')).stdout.trim()
  await quire('orgs', 'create', 'Other')
})
afterAll(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

const findPerson = (link: string) => {
  const token = new URL(link.trim()).searchParams.get('token') ?? ''
  return store.signInLinks.find(hashSecret(token), Date.now())
}

describe('dashboard link', () => {
  test('prints a link for an operator, and on standard error for whom it is', async () => {
    const { code, stdout, stderr } = await quire('dashboard', 'link')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:8787\/dashboard\/sign-in\?token=[\w-]{43}\n$/)
    const person = await findPerson(stdout)
    expect(person).toMatchObject({ name: 'operator', organizationId: null })
    expect(stderr).toBe(
      `The link works once, for 15 minutes. It is for operator (${person?.id}): an operator, who sees all organizations.\nIf browsers reach the server at another address, give it with --public-url, or --port.\n`,
    )
  })

  test('the same name in the same organization is the same person', async () => {
    const link = async (...args: string[]) => findPerson((await quire('dashboard', 'link', ...args)).stdout)
    const ada = await link('--org', 'Acme', '--name', 'Ada')
    expect(ada).toMatchObject({ name: 'Ada', organizationId })
    expect(await link('--org', organizationId, '--name', ' Ada ')).toEqual(ada)
    expect(await link('--org', 'Other', '--name', 'Ada')).not.toMatchObject({ id: ada?.id })
    expect(await link('--name', 'Ada')).toMatchObject({ organizationId: null })
  })

  test('prints JSON with the person and the expiry', async () => {
    const before = Date.now()
    const { stdout, stderr } = await quire('dashboard', 'link', '--name', 'Grace', '--json')
    const { url, expiresAt, person } = JSON.parse(stdout)
    expect([await findPerson(url), stderr]).toMatchObject([{ id: person.id, name: 'Grace' }, ''])
    expect(Date.parse(expiresAt) - before).toBeGreaterThan(14.9 * 60_000)
    expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(15 * 60_000)
  })

  test.each([
    [['--public-url', 'https://api.example.com/quire/'], {}, 'https://api.example.com/quire'],
    [[], { QUIRE_PUBLIC_URL: 'https://api.example.com' }, 'https://api.example.com'],
    [['--port', '9000'], {}, 'http://127.0.0.1:9000'],
    [['--host', '0.0.0.0'], {}, 'http://127.0.0.1:8787'],
    [[], { QUIRE_HOST: '::1', QUIRE_PORT: '9000' }, 'http://localhost:9000'],
  ])('with %j and %j, the link begins with %s', async (args, env, want) => {
    const { stdout } = await runQuire(['dashboard', 'link', '--data', data, ...args], { env })
    expect(stdout).toMatch(new RegExp(`^${want}/dashboard/sign-in\\?token=`))
  })

  test.each([
    [['--org', 'Acme'], 2, '--org needs the name of the person. Give it with --name.'],
    [['--org', 'Nobody', '--name', 'Ada'], 1, 'There is no organization Nobody. See: npx quire orgs list'],
    [['--name', ''], 2, 'The name is empty.'],
    [['--port', '0'], 2, '--port 0 means any free port.'],
    [['--public-url', 'ftp://x'], 2, '--public-url must be an http(s) URL'],
  ])('%j ends with %i and the remedy', async (args, code, message) => {
    const result = await quire('dashboard', 'link', ...args)
    expect(result).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) })
  })
})

describe('dashboard people and remove', () => {
  test('people lists names, organizations and open sessions', async () => {
    await quire('dashboard', 'link', '--org', 'Acme', '--name', 'Lin')
    const lin = (await store.people.list(organizationId)).find(({ name }) => name === 'Lin')
    const now = Date.now()
    for (const number of [1, 2]) {
      await store.sessions.insert(
        {
          id: `ses_${number}`,
          personId: lin?.id ?? '',
          createdAt: now - 1000,
          lastSeenAt: now - 1000,
          expiresAt: now + 60_000,
          address: '203.0.113.9',
        },
        Buffer.alloc(32, number),
      )
    }
    const { code, stdout } = await quire('dashboard', 'people')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ID +NAME +ORGANIZATION +SESSIONS +LAST SEEN \(UTC\)$/m)
    expect(stdout).toMatch(/^usr_[0-9a-f]{16} +Lin +Acme +2 +\d{4}-/m)
    expect(stdout).toMatch(/^usr_[0-9a-f]{16} +operator +all +0 +-$/m)
    expect(JSON.parse((await quire('dashboard', 'people', '--json')).stdout)).toContainEqual(
      expect.objectContaining({ name: 'Lin', organizationId, organization: 'Acme', sessions: 2 }),
    )
  })

  test('remove deletes the person, and ends their sessions and links', async () => {
    const { stdout: link } = await quire('dashboard', 'link', '--org', 'Acme', '--name', 'Kim')
    const kim = await findPerson(link)
    const { code, stdout } = await quire('dashboard', 'remove', 'Kim')
    expect([code, stdout]).toEqual([0, `Kim (${kim?.id}) is removed and signed out.\n`])
    expect(await findPerson(link)).toBeUndefined()
    expect(await quire('dashboard', 'remove', 'Kim')).toMatchObject({
      code: 1,
      stderr: 'There is no person Kim. See: npx quire dashboard people\n',
    })
  })

  test('remove asks for an id when several have the name', async () => {
    for (const org of ['Acme', 'Other']) await quire('dashboard', 'link', '--org', org, '--name', 'Sam')
    const { code, stderr } = await quire('dashboard', 'remove', 'Sam')
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^2 persons have the name Sam\. Give one of their ids: usr_/),
    ])
  })
})

test('links and people are in the audit log, without the secret', async () => {
  const { stdout: link } = await quire('dashboard', 'link', '--org', 'Acme', '--name', 'Noa')
  await quire('dashboard', 'remove', 'Noa')
  const events = await store.auditLog.list({ organizationId, limit: 3 })
  const actor = `command line (${userInfo().username})`
  expect(events).toMatchObject(
    ['person.removed', 'sign-in-link.created', 'person.added'].map(action => ({
      action,
      subject: events[0]?.subject,
      detail: 'Noa',
      actor,
      address: hostname(),
    })),
  )
  expect(JSON.stringify(events)).not.toContain(new URL(link.trim()).searchParams.get('token'))
})
