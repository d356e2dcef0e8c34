import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSecret, sessionIdleMs } from '../../server/tenancy/sign-in.ts'
import { createOrganization, startTestServer, type TestServer } from '../support/server.ts'
import { createPerson, createToken, sendSignIn, signIn } from './dashboard-client.ts'

let server: TestServer
let organizationId: string
beforeAll(async () => {
  server = await startTestServer()
  ;({ organizationId } = await createOrganization(server.store))
})
afterAll(() => server.dispose())

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(server.url + path, { headers, redirect: 'manual' })

const cookieName = () => `quire_session_${new URL(server.url).port}`

test('browsers land on the dashboard, and those without a session on the page to sign in', async () => {
  const start = await get('/', { Accept: 'text/html' })
  expect([start.status, start.headers.get('location')]).toEqual([302, 'dashboard/'])
  const first = await get('/dashboard/')
  expect([first.status, first.headers.get('location')]).toEqual([303, 'sign-in'])
  expect(await (await get('/dashboard/sign-in')).text()).toContain('npx quire dashboard link')
  const inner = await get(`/dashboard/${organizationId}/keys`)
  expect([inner.status, inner.headers.get('location')]).toEqual([303, '../sign-in'])
})

test.each([
  ['/dashboard', 'dashboard/sign-in'],
  ['/dashboard/ORG', 'ORG/'],
  ['/dashboard/ORG/keys/', '../keys'],
  ['/dashboard/ORG/keys/generate', '../keys'],
  ['/dashboard/ORG/projects/sites/a.example/test', '../a.example'],
])('%s, as somebody types it, leads to %s', async (path, location) => {
  const answer = await get(path.replace('ORG', organizationId))
  expect([answer.status, answer.headers.get('location')]).toEqual([303, location.replace('ORG', organizationId)])
})

test('without a public URL, people may use any name of the server', async () => {
  const token = await createToken(server, await createPerson(server, organizationId, 'Lan'))
  expect((await sendSignIn(server, token, { Origin: server.url })).status).toBe(303)
})

test('opening a link does not use it up, and the button does, once', async () => {
  const token = await createToken(server, await createPerson(server, organizationId, 'Ada Lovelace'))
  for (const _ of [1, 2]) {
    const page = await get(`/dashboard/sign-in?token=${token}`)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Sign in as Ada Lovelace of Acme')])
  }
  expect((await sendSignIn(server, token)).status).toBe(303)
  const again = await sendSignIn(server, token)
  expect([again.status, again.headers.getSetCookie()]).toEqual([403, []])
  expect((await get(`/dashboard/sign-in?token=${token}`)).status).toBe(403)
})

test('of 20 browsers that send a link at once, one is signed in', async () => {
  const token = await createToken(server, await createPerson(server, organizationId, 'Twenty'))
  const answers = await Promise.all(Array.from({ length: 20 }, () => sendSignIn(server, token)))
  expect(answers.filter(({ status }) => status === 303)).toHaveLength(1)
})

test.each([
  { about: 'an expired link', age: 16 * 60 * 1000 },
  { about: 'a guessed link', age: undefined },
])('$about is refused', async ({ age }) => {
  const person = await createPerson(server, organizationId, `Late ${age}`)
  const token = age === undefined ? createSecret() : await createToken(server, person, Date.now() - age)
  expect((await sendSignIn(server, token)).status).toBe(403)
})

test('1,000 guesses of links and cookies sign nobody in, and leave one entry in the audit log', async () => {
  const guesses = Array.from({ length: 500 }, async () => {
    const page = await get(`/dashboard/${organizationId}/keys`, { Cookie: `${cookieName()}=${createSecret()}` })
    const link = await sendSignIn(server, createSecret())
    return [page.status, link.status]
  })
  expect(new Set((await Promise.all(guesses)).flat())).toEqual(new Set([303, 403]))
  const refused = (await server.store.auditLog.list({ limit: 1000 })).filter(
    ({ action }) => action === 'sign-in.refused',
  )
  expect(refused).toHaveLength(1)
})

test('a session is found behind another cookie of the same name', async () => {
  const { cookie } = await signIn(server, await createPerson(server, organizationId, 'Two cookies'))
  const page = await get(`/dashboard/${organizationId}/keys`, { Cookie: `${cookieName()}=other; ${cookie}` })
  expect(page.status).toBe(200)
})

test('the cookie is for this path only, and no script and no other site can use it', async () => {
  const answer = await sendSignIn(server, await createToken(server, await createPerson(server, organizationId, 'Eve')))
  const [cookie] = answer.headers.getSetCookie()
  expect(cookie).toMatch(/; Path=\/dashboard; .*HttpOnly; SameSite=Strict$/)
  expect(cookie).not.toContain('Secure')
})

test('behind TLS the cookie is never sent in clear, and keeps to the path of the public URL', async () => {
  const secure = await startTestServer({ publicUrl: 'https://quire.example.com/admin' })
  try {
    const { organizationId } = await createOrganization(secure.store)
    const token = await createToken(secure, await createPerson(secure, organizationId))
    // Over plain http, Chromium sends no Sec-Fetch-Site, so the origin decides.
    const answer = await sendSignIn(secure, token, { Origin: 'https://quire.example.com' })
    const [cookie] = answer.headers.getSetCookie()
    expect(cookie).toMatch(/; Path=\/admin\/dashboard; .*HttpOnly; Secure; SameSite=Strict$/)
  } finally {
    await secure.dispose()
  }
})

test('a session has a new secret, whatever the browser sent, and an old session of the browser ends', async () => {
  const first = await signIn(server, await createPerson(server, organizationId, 'Fixed'))
  const token = await createToken(server, await createPerson(server, organizationId, 'Victim'))
  const answer = await sendSignIn(server, token, { 'Sec-Fetch-Site': 'same-origin', Cookie: first.cookie })
  expect(answer.headers.getSetCookie()[0]).not.toContain(first.cookie)
  expect((await first.open(`${organizationId}/keys`)).status).toBe(303)
})

test('a link that another site sends signs nobody in', async () => {
  const person = await createPerson(server, organizationId, 'Login CSRF')
  for (const headers of [{ 'Sec-Fetch-Site': 'cross-site' }, { Origin: 'https://evil.example' }, { Origin: 'null' }]) {
    const token = await createToken(server, person)
    const answer = await sendSignIn(server, token, headers as Record<string, string>)
    expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('--public-url')])
    expect((await get(`/dashboard/sign-in?token=${token}`)).status).toBe(200)
  }
})

describe('a session ends', () => {
  test('by signing out, also for a copy of the cookie', async () => {
    const client = await signIn(server, await createPerson(server, organizationId, 'Leaver'))
    await client.read(`${organizationId}/keys`)
    const answer = await client.send('sign-out', {})
    expect([answer.status, answer.headers.getSetCookie()[0]]).toEqual([303, expect.stringContaining('Max-Age=0')])
    const after = await client.open(`${organizationId}/keys`)
    expect([after.status, after.headers.get('location')]).toEqual([303, '../sign-in?ended=page'])
    const form = await client.send(`${organizationId}/keys/generate`, { name: 'late' })
    expect(form.headers.get('location')).toBe('../../sign-in?ended=form')
    expect(await (await get('/dashboard/sign-in?ended=form')).text()).toContain('What you sent was not saved.')
  })

  test('in all other browsers at once', async () => {
    const person = await createPerson(server, organizationId, 'Many')
    const [here, there] = [await signIn(server, person), await signIn(server, person)]
    await here.read(`${organizationId}/people`)
    await here.send(`${organizationId}/people/sign-out-others`, {})
    expect([
      (await here.open(`${organizationId}/people`)).status,
      (await there.open(`${organizationId}/people`)).status,
    ]).toEqual([200, 303])
  })

  test('when the person is removed', async () => {
    const person = await createPerson(server, organizationId, 'Removed')
    const client = await signIn(server, person)
    await server.store.people.delete(person.id)
    expect((await client.open(`${organizationId}/keys`)).status).toBe(303)
  })

  test('when it was not used for hours, and after seven days', async () => {
    const person = await createPerson(server, organizationId, 'Idle')
    const secretSha256 = Buffer.alloc(32, 7)
    const now = Date.now()
    const day = 24 * 60 * 60 * 1000
    const session = {
      id: 'ses_00000000000000aa',
      personId: person.id,
      createdAt: now,
      lastSeenAt: now,
      expiresAt: now + 7 * day,
      address: '-',
    }
    await server.store.sessions.insert(session, secretSha256)
    expect(await server.store.sessions.find(secretSha256, now + sessionIdleMs + 1)).toBeUndefined()
    for (let at = now; at < session.expiresAt; at += sessionIdleMs / 2) {
      expect(await server.store.sessions.find(secretSha256, at)).toBeDefined()
    }
    expect(await server.store.sessions.find(secretSha256, session.expiresAt)).toBeUndefined()
  })
})

test('no token and no cookie is in the log of requests or in the database', async () => {
  const person = await createPerson(server, organizationId, 'Quiet')
  const token = await createToken(server, person)
  await get(`/dashboard/sign-in?token=${token}`)
  const answer = await sendSignIn(server, token)
  const cookie = /quire_session_\d+=([\w-]+)/.exec(answer.headers.getSetCookie()[0] ?? '')?.[1] ?? 'none'
  await get(`/dashboard/${organizationId}/keys`, { Cookie: `${cookieName()}=${cookie}` })
  const log = JSON.stringify(server.logged)
  expect([log.includes(token), log.includes(cookie), log.includes('/dashboard/sign-in')]).toEqual([false, false, true])
})

test('the cookies of two servers on one host have different names', async () => {
  const other = await startTestServer()
  try {
    const { organizationId } = await createOrganization(other.store)
    const here = await signIn(server, await createPerson(server, null, 'Here'))
    const there = await signIn(other, await createPerson(other, organizationId))
    expect(here.cookie.split('=')[0]).not.toBe(there.cookie.split('=')[0])
  } finally {
    await other.dispose()
  }
})
