import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../server/store/database.ts'
import { createId } from '../../server/tenancy/id.ts'
import { createOrganization, startTestServer, type TestServer } from '../support/server.ts'
import { createPerson, createToken, type DashboardClient, sendSignIn, signIn } from './dashboard-client.ts'

let server: TestServer
let organizationId: string
let projectId: string
let operator: DashboardClient
beforeAll(async () => {
  server = await startTestServer()
  ;({ organizationId, projectId } = await createOrganization(server.store))
  operator = await signIn(server, await createPerson(server, null, 'Operator'))
})
afterAll(() => server.dispose())

const send = async (path: string, fields: Record<string, string>) => {
  await operator.read(`${organizationId}/keys`)
  return operator.send(`${organizationId}${path}`, fields)
}
const addSite = async (domain: string) =>
  server.store.sites.insert({ domain, projectId, origin: null, createdAt: Date.now() })
const listEvents = async () =>
  (await server.store.auditLog.list({ organizationId, limit: 100 })).map(({ action, detail }) => `${action} ${detail}`)

/** Runs a work while the audit log cannot be written. */
async function withoutAuditLog<T>(work: () => Promise<T>): Promise<T> {
  const database = openDatabase(join(server.dataFolder, 'quire.db'))
  database.exec("CREATE TRIGGER broken BEFORE INSERT ON audit_events BEGIN SELECT RAISE(ABORT, 'broken'); END")
  try {
    return await work()
  } finally {
    database.exec('DROP TRIGGER broken')
    database.close()
  }
}

test('a change whose audit event cannot be written is not made', async () => {
  const { store } = server
  await addSite('stays.example.com')
  await store.agentJobs.insert({
    projectId,
    id: 'aj_1',
    status: 'completed',
    source: { repository: 'https://git.example.com/docs', ref: null },
    model: 'writer',
    prLink: null,
    createdAt: 1,
    archivedAt: null,
  })
  const member = await createPerson(server, organizationId, 'Stays')
  const readAll = async () => [
    await store.apiKeys.list(organizationId),
    await store.projects.list(organizationId),
    await store.sites.list(organizationId),
    await store.people.list(organizationId),
    await store.agentJobs.list(projectId),
  ]
  const before = await readAll()
  const site = '/projects/sites/stays.example.com'
  const forms: [string, Record<string, string>][] = [
    ['/keys/generate', { name: 'ci', read: 'on', expiry: '90' }],
    ['/projects/create', { name: 'New' }],
    ['/projects/create-site', { domain: 'new.example.com', project: projectId, origin: '' }],
    [`/projects/settings/${projectId}/save`, { notPages: '/status', ai: 'all' }],
    [`${site}/origin`, { origin: 'http://10.0.0.5/', allowed: '' }],
    [`${site}/rules`, { keep: '#x' }],
    [`${site}/delete`, {}],
    ['/people/add', { name: 'Bea' }],
    ['/people/remove', { id: member.id }],
    [`/agent-jobs/${projectId}/aj_1/archive`, {}],
  ]
  await withoutAuditLog(async () => {
    for (const [path, fields] of forms) expect([path, (await send(path, fields)).status]).toEqual([path, 500])
  })
  expect(await readAll()).toEqual(before)
})

test('a sign-in link still works if its sign-in could not be recorded', async () => {
  const person = await createPerson(server, organizationId, 'Cleo')
  const token = await createToken(server, person)
  expect((await withoutAuditLog(() => sendSignIn(server, token))).status).toBe(500)
  expect(await server.store.sessions.list(person.id, Date.now())).toEqual([])
  expect((await sendSignIn(server, token)).status).toBe(303)
})

test('a form for a key that is sent twice makes one key', async () => {
  const page = await operator.read(`${organizationId}/keys`)
  const form = /name="form" value="([^"]+)"/.exec(page)?.[1] ?? ''
  const fields = { name: 'once', read: 'on', expiry: '90', form }
  const answers = [await send('/keys/generate', fields), await send('/keys/generate', fields)]
  expect(answers.map(({ status }) => status)).toEqual([200, 303])
  expect(answers[1]?.headers.get('location')).toContain('keys?done=key-form-used')
  expect((await server.store.apiKeys.list(organizationId)).filter(({ name }) => name === 'once')).toHaveLength(1)
  expect((await listEvents()).filter(event => event.startsWith('key.created once'))).toHaveLength(1)
})

test('the same form id of another organization makes a key of its own', async () => {
  const other = await createOrganization(server.store)
  const fields = { name: 'shared', read: 'on', expiry: '90', form: 'the-same' }
  expect((await send('/keys/generate', fields)).status).toBe(200)
  expect((await operator.send(`${other.organizationId}/keys/generate`, fields)).status).toBe(200)
})

test('a second project of the same name is refused at its field', async () => {
  expect((await send('/projects/create', { name: 'Handbook' })).status).toBe(303)
  const second = await send('/projects/create', { name: ' Handbook ' })
  expect(second.status).toBe(400)
  expect(await second.text()).toContain('has a project with this name already')
  const named = (await server.store.projects.list(organizationId)).filter(({ name }) => name === 'Handbook')
  expect(named).toHaveLength(1)
})

test('audit events have the details that the commands write', async () => {
  const domain = `${createId('prj').replace('_', '-')}.example.com`
  await send('/projects/create-site', { domain, project: projectId, origin: 'http://10.0.0.5:8080' })
  await send(`/projects/sites/${domain}/origin`, { origin: '', allowed: 'http://10.0.0.7:9000' })
  await send(`/projects/sites/${domain}/rules`, { removeSelectors: '#ask-us\n.ask', keep: '#search' })
  await send(`/projects/sites/${domain}/rules`, {})
  await send('/keys/generate', { name: 'detail', read: 'on', expiry: '90' })
  const key = (await server.store.apiKeys.list(organizationId)).find(({ name }) => name === 'detail')
  await send('/keys/revoke', { id: key?.id ?? '' })
  expect((await listEvents()).slice(0, 7).reverse()).toEqual([
    'site.created origin http://10.0.0.5:8080/',
    `site.changed origin https://${domain}/`,
    'site.changed allowed origins: http://10.0.0.7:9000',
    'site.changed rules: 3',
    'site.changed rules: none',
    `key.created detail (...${key?.last4})`,
    `key.revoked detail (...${key?.last4})`,
  ])
})
