import { afterAll, beforeAll, expect, test } from 'vitest'
import { sectionNames, sectionPath } from '../../server/dashboard/texts/frame.ts'
import { createOrganization, startTestServer, type TestServer } from '../support/server.ts'
import { createPerson, type DashboardClient, signIn } from './dashboard-client.ts'

let server: TestServer
let first: string
let operator: DashboardClient
let member: DashboardClient
beforeAll(async () => {
  server = await startTestServer()
  ;({ organizationId: first } = await createOrganization(server.store))
  operator = await signIn(server, await createPerson(server, null, 'Operator'))
  member = await signIn(server, await createPerson(server, first, 'Member'))
  await addOrganizations(1, 50)
})
afterAll(() => server.dispose())

async function addOrganizations(from: number, to: number): Promise<void> {
  for (let number = from; number < to; number += 1) {
    const id = `org_n${number}`
    await server.store.organizations.insert({
      id,
      name: `Team <${number}>`,
      plan: 'standard',
      createdAt: Date.now() + number,
    })
  }
}

const leadsTo = async (client: DashboardClient, address: string) => {
  const answer = await client.open(address)
  return new URL(answer.headers.get('location') ?? '', `${server.url}/dashboard/${address}`).pathname
}

test('50 organizations are offered in a select, which keeps the section', async () => {
  const page = await operator.read(`${first}/keys`)
  expect(page.match(/<option value="org_/g)).toHaveLength(50)
  expect(page).toContain('<input type="hidden" name="section" value="keys">')
})

test.each(Object.keys(sectionNames))('switching from %s leads to the same section', async section => {
  const address = await leadsTo(operator, `?organization=org_n7&section=${section}`)
  expect(address).toBe(section === 'overview' ? '/dashboard/org_n7/' : `/dashboard/org_n7${sectionPath(section)}`)
  expect((await operator.open(address.replace('/dashboard/', ''))).status).toBe(200)
})

test.each(['', '&section=nonsense', '&section=../../x', '&section=constructor'])(
  'switching with %j leads to the overview',
  async section => {
    expect(await leadsTo(operator, `?organization=org_n7${section}`)).toBe('/dashboard/org_n7/')
  },
)

test('a member is led to their own organization, in the section', async () => {
  expect(await leadsTo(member, '?organization=org_n7&section=keys')).toBe(`/dashboard/${first}/keys`)
  expect((await member.open('org_n7/keys')).status).toBe(404)
  expect((await member.open(`${first}/organizations`)).status).toBe(404)
})

test('more than 50 organizations are chosen on a page, which is filtered and keeps the section', async () => {
  await addOrganizations(50, 121)
  const keys = await operator.read(`${first}/keys`)
  expect(keys).not.toContain('<select id="organization"')
  expect(keys).toMatch(/href="organizations\?section=keys">Switch the organization/)
  const page = await operator.read(`${first}/organizations?section=keys`)
  expect(page.match(/<th scope="row">/g)).toHaveLength(50)
  expect(page).toContain('name="section" value="keys"')
  expect(page).toMatch(/section=keys&amp;organizations-from=50#[^"]*">Next page/)
  const found = await operator.read(`${first}/organizations?section=keys&organizations-find=team+%3C120`)
  const link = /<th scope="row"><a href="([^"]+)">Team &lt;120&gt;/.exec(found)?.[1]
  const address = new URL(link ?? '', `${server.url}/dashboard/${first}/organizations`).pathname
  expect(address).toBe('/dashboard/org_n120/keys')
  expect((await operator.open(address.replace('/dashboard/', ''))).status).toBe(200)
  expect(await member.read(`${first}/keys`)).not.toContain('Switch the organization')
})

test('the audit log names each organization and links its subjects', async () => {
  const event = { at: 1, action: 'key.created', subject: 'key_1', detail: null, actor: 'a', address: 'b' } as const
  await server.store.auditLog.append({ ...event, organizationId: 'org_n119' })
  await server.store.auditLog.append({ ...event, organizationId: 'org_gone' })
  const page = await operator.read(`${first}/audit?scope=all`)
  expect(page).toContain('Team &lt;119&gt;')
  expect(page).toContain('/org_n119/keys"')
  expect(page).not.toContain('/org_gone/keys"')
})
