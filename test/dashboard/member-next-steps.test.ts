import { afterAll, beforeAll, expect, test } from 'vitest'
import { createId } from '../../server/tenancy/id.ts'
import { runQuire } from '../support/process.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { createPerson, type DashboardClient, signIn } from './dashboard-client.ts'

const organizationId = createId('org')
let server: TestServer
let member: DashboardClient
let operator: DashboardClient
beforeAll(async () => {
  server = await startTestServer()
  await server.store.organizations.insert({ id: organizationId, name: 'New', plan: 'enterprise', createdAt: 1 })
  member = await signIn(server, await createPerson(server, organizationId))
  operator = await signIn(server, await createPerson(server, null, 'Operator'))
})
afterAll(() => server.dispose())

const read = (client: DashboardClient, path: string) => client.read(`${organizationId}${path}`)
const commandsOf = (page: string) =>
  [...page.matchAll(/<code>(npx quire (?:projects|sites) create [^<]*)<\/code>/g)].map(([, command = '']) =>
    command.replaceAll('&quot;', '"'),
  )

/** Runs a command that a page shows, as an operator would. */
async function run(command: string, ...further: string[]): Promise<void> {
  const words = (command.match(/"[^"]*"|\S+/g) ?? []).map(word => word.replaceAll('"', ''))
  const { code, stderr } = await runQuire([...words.slice(2), ...further, '--data', server.dataFolder])
  expect([code, stderr]).toEqual([0, ''])
}

test('a member without a project and without a site gets the commands that an operator runs', async () => {
  const project = `npx quire projects create "Docs" --org ${organizationId}`
  for (const path of ['/projects', '/keys', '/visitors', '/agent-jobs', '/exports']) {
    const page = await read(member, path)
    expect([path, ...new Set(commandsOf(page))]).toEqual([path, project])
    expect([path, /Create a project first|Create the first project|Register a site first/.exec(page)]).toEqual([
      path,
      null,
    ])
    expect([path, ...commandsOf(await read(operator, path))]).toEqual([path])
  }
  const overview = await read(member, '/')
  expect(overview.match(/Only operators can do this/g)).toHaveLength(2)
  expect(await read(operator, '/')).not.toContain('Only operators can do this')

  await run(project)
  for (const path of ['/projects', '/exports']) {
    const [command = '', ...others] = new Set(commandsOf(await read(member, path)))
    expect([path, command, ...others]).toEqual([
      path,
      expect.stringMatching(/^npx quire sites create docs\.example\.com --project prj_[0-9a-f]{16}$/),
    ])
  }
  expect((await read(member, '/')).match(/Only operators can do this/g)).toHaveLength(1)
  for (const path of ['/keys', '/visitors', '/agent-jobs']) expect(commandsOf(await read(member, path))).toEqual([])

  const [command = ''] = commandsOf(await read(member, '/exports'))
  await run(command, '--no-probe')
  for (const path of ['/projects', '/exports']) expect(commandsOf(await read(member, path))).toEqual([])
  expect(await read(member, '/exports')).toContain('docs.example.com')
})
