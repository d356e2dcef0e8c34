import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createId } from '../../server/tenancy/id.ts'
import { createOrganization, startTestServer, type TestServer } from '../support/server.ts'
import { createPerson, type DashboardClient, signIn } from './dashboard-client.ts'
import { findInjected, hostileTexts } from './page-visit.ts'

const rows = 203
const three = (index: number) => String(index).padStart(3, '0')

let server: TestServer
let organizationId: string
let operator: DashboardClient
let member: DashboardClient
beforeAll(async () => {
  server = await startTestServer()
  const { store } = server
  ;({ organizationId } = await createOrganization(store))
  operator = await signIn(server, await createPerson(server, null, 'Operator'))
  member = await signIn(server, await createPerson(server, organizationId, 'zz member'))
  await store.atomically(function* (nouns) {
    for (let index = 0; index < rows; index += 1) {
      const number = three(index)
      const common = { organizationId, createdAt: 1000 + index }
      const projectId = `prj_${number}`
      yield* nouns.projects.insert({
        id: projectId,
        ...common,
        name: `project ${number}`,
        visitorSaltRotation: 'never',
        visitorRules: 2,
      })
      yield* nouns.sites.insert({ domain: `s${number}.example.com`, projectId, origin: null, createdAt: 1 })
      yield* nouns.people.insert({ id: createId('usr'), ...common, name: `person ${number}` })
      const none = { expiresAt: null, revokedAt: null, lastUsedAt: null }
      const key = { id: createId('key'), ...common, name: `key ${number}`, scopes: ['read' as const], last4: number }
      yield* nouns.apiKeys.insert({ ...key, ...none }, createHash('sha256').update(key.id).digest())
    }
  })
})
afterAll(() => server.dispose())

const read = (path: string) => operator.read(`${organizationId}${path}`)
const count = (page: string, text: RegExp) => new Set(page.match(text)).size
const linksOf = (page: string, label: string) =>
  [...page.matchAll(/<a class="button" href="([^"]+)">([^<]+)<\/a>/g)]
    .filter(([, , text]) => text === label)
    .map(([, href]) => href?.replaceAll('&amp;', '&') ?? '')
const follow = (page: string, label: string, at = 0) => read(`/${linksOf(page, label)[at]?.split('#')[0]}`)

describe.each([
  ['/keys', 'keys', /key \d{3}(?=<\/th>)/g, 'key 0'],
  ['/keys', 'projects', /project \d{3}(?=<\/th>)/g, 'project 0'],
  ['/projects', 'projects', /project \d{3}(?=<\/th>)/g, 'project 0'],
  ['/projects', 'sites', />s\d{3}\.example\.com/g, 's0'],
  ['/people', 'members', /person \d{3}(?=<\/th>)/g, 'person 0'],
])('%s, list of %s', (path, list, row, text) => {
  test('shows 50 rows a page, and each row once', async () => {
    const found = new Set<string>()
    for (let from = 0; from < 250; from += 50) {
      const page = await read(`${path}?${list}-from=${from}`)
      const here = page.match(row) ?? []
      expect(here.length).toBeLessThanOrEqual(50)
      for (const each of here) found.add(each)
    }
    expect(found.size).toBe(rows)
  })

  test('is filtered without scripts', async () => {
    const page = await read(`${path}?${list}-find=${encodeURIComponent(text.toUpperCase())}`)
    expect(count(page, row)).toBe(50)
    expect(page).toContain('1 to 50 of 100')
    expect(page).toContain(`name="${list}-find" value="${text.toUpperCase()}"`)
    const none = await read(`${path}?${list}-find=nobody`)
    expect(none).toContain('Nothing in this list contains &quot;nobody&quot;.')
    expect(none).toContain('Show all')
  })

  test('an address beyond the end shows the last page', async () => {
    expect(await read(`${path}?${list}-from=999999`)).toMatch(/201 to 20\d of 20\d/)
  })
})

test('the links of a list keep what the other list of the page shows', async () => {
  const page = await follow(await read('/projects?projects-find=project+1'), 'Next page', 1)
  expect(page).toContain('name="projects-find" value="project 1"')
  expect(page).toContain('>s050.example.com')
  const back = await follow(page, 'Next page', 0)
  expect(back).toContain('project 150')
  expect(back).toContain('>s050.example.com')
})

test('a short list has no filter and no page links', async () => {
  const other = await createOrganization(server.store)
  const page = await operator.read(`${other.organizationId}/projects`)
  expect(page).not.toContain('role="search"')
  expect(page).not.toContain('class="paging"')
})

test('a member finds the operators of no page', async () => {
  expect(await member.read(`${organizationId}/people?operators-find=Operator`)).not.toContain('>Operator<')
})

test.each(hostileTexts)('the filter shows %s as a text', async hostile => {
  const page = await read(`/people?members-find=${encodeURIComponent(hostile)}`)
  const { texts, faults } = findInjected(page.slice(page.indexOf('<body')))
  expect(faults).toEqual([])
  expect(texts.some(text => text.includes(hostile))).toBe(true)
})

describe('with more than 200 projects and sites', () => {
  test.each(['/', '/visitors', '/agent-jobs'])(
    '%s leads to the list of projects, and shows the one of the address',
    async path => {
      const page = await read(`${path}?project=prj_150`)
      expect(page).not.toContain('<select id="field-project"')
      expect(page).toContain('<strong>project 150</strong>')
      expect(page).toMatch(/href="[^"]*projects">Choose another project/)
      expect(page).toContain('type="hidden" name="project" value="prj_150"')
      expect((await operator.open(`${organizationId}${path}?project=prj_none`)).status).toBe(404)
    },
  )

  test('the list of projects leads to the visitors and the agent jobs of each', async () => {
    const page = await read('/projects?projects-find=project+150')
    expect(page).toContain('visitors?project=prj_150"')
    expect(page).toContain('agent-jobs?project=prj_150"')
  })

  test('a site is registered by the name or the id of its project', async () => {
    expect(await read('/projects')).not.toContain('<select id="field-project"')
    const send = async (domain: string, project: string) =>
      operator.send(`${organizationId}/projects/create-site`, { domain, project, origin: '' })
    expect((await send('by-name.example.com', 'project 007')).status).toBe(303)
    expect(await server.store.sites.find('by-name.example.com')).toMatchObject({ projectId: 'prj_007' })
    expect((await send('by-id.example.com', 'prj_150')).status).toBe(303)
    const refused = await send('no.example.com', 'project')
    expect(refused.status).toBe(400)
    expect(await refused.text()).toContain('Choose a project from the list.')
    const common = { organizationId, createdAt: 1, visitorSaltRotation: 'never', visitorRules: 2 } as const
    await server.store.projects.insert({ id: 'prj_twin', ...common, name: 'project 007' })
    expect((await send('twins.example.com', 'project 007')).status).toBe(400)
  })

  test('the site of an export is typed', async () => {
    const page = await read('/exports?site=s150.example.com')
    expect(page).not.toContain('<select id="field-domain"')
    expect(page).toMatch(/<input id="field-domain"[^>]* value="s150.example.com"/)
  })
})
