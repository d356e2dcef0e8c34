import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lockDatabase } from '../support/lock-database.ts'
import { createOrganization, startTestServer, type TestServer } from '../support/server.ts'
import { createPerson, type DashboardClient, signIn } from './dashboard-client.ts'

let server: TestServer
let organizationId: string
let client: DashboardClient
beforeAll(async () => {
  server = await startTestServer()
  ;({ organizationId } = await createOrganization(server.store))
  client = await signIn(server, await createPerson(server, organizationId))
})
afterAll(() => server.dispose())

test.each([
  ['a page', () => `${organizationId}/nothing/here`, '../'],
  ['an export', () => `${organizationId}/exports/se_0000000000000000`, '../'],
  ['a page outside of an organization', () => 'nothing', 'ORGANIZATION/'],
  ['an organization', () => 'org_0000000000000000/keys', '../ORGANIZATION/'],
])('%s that does not exist is missing in the usual frame, which leads back', async (_, path, home) => {
  const answer = await client.open(path())
  const text = await answer.text()
  expect(answer.status).toBe(404)
  expect(text).toContain('<title>Error: Not found - ')
  const to = home.replace('ORGANIZATION', organizationId)
  expect(text).toContain(`<a href="${to}">Open the overview</a>`)
  expect(text).toContain('<nav class="side"')
})

test('who is not signed in sees no navigation on a page that does not exist', async () => {
  const answer = await fetch(`${server.url}/dashboard/nothing/here`)
  expect([answer.status, (await answer.text()).includes('<nav')]).toEqual([404, false])
})

test('a form that is too large is refused in words for people', async () => {
  await client.read(`${organizationId}/keys`)
  const answer = await client.send(`${organizationId}/keys/generate`, { name: 'x'.repeat(300_000) })
  expect([answer.status, await answer.text()]).toEqual([413, expect.stringContaining('The form is too large.')])
})

test('a locked database is a 503 with the reason, and signing out clears the cookie all the same', async () => {
  await client.read(`${organizationId}/keys`)
  const lock = await lockDatabase(join(server.dataFolder, 'quire.db'))
  try {
    const answer = await client.send(`${organizationId}/keys/generate`, { name: 'locked', read: 'on', expiry: '30' })
    expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining('is locked by another process')])
    const out = await client.send('sign-out', {})
    expect([out.status, out.headers.getSetCookie()[0]]).toEqual([503, expect.stringContaining('Max-Age=0')])
  } finally {
    await lock.unlock()
  }
})
