import { beforeAll, expect, test } from 'vitest'
import { send } from '../support/client.ts'
import { useExtensionsServer } from '../support/extensions-server.ts'
import { createApiKey } from '../support/server.ts'

const used = useExtensionsServer()
const origin = 'https://docs.example'
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'
let key: string
let ofOtherProject: string

beforeAll(async () => {
  const { server, organizationId, projectId } = used
  await server.store.sites.insert({ domain: 'docs.example', projectId, origin: null, createdAt: 0 })
  const bound = { scopes: ['count' as const], projectIds: [projectId] }
  key = (await createApiKey(server.store, organizationId, bound)).key
  const other = { scopes: ['count' as const], projectIds: [await used.addProject()] }
  ofOtherProject = (await createApiKey(server.store, organizationId, other)).key
})

const sendView = (query: string, headers: Record<string, string> = {}) =>
  send(used.server.url, `/quire/v1/projects/${used.projectId}/page-views?${query}`, {
    method: 'POST',
    headers: { 'User-Agent': firefox, Origin: origin, ...headers },
  })
const readReport = async () => (await used.ask('GET', `/v1/analytics/${used.projectId}/visitors`)).json

test('a page view counts once, also when an access log tells of it', async () => {
  const { status, headers, text } = await sendView(`key=${key}&page=%2Fguide%2F&referrer=https%3A%2F%2Fchatgpt.com%2F`)
  expect([status, text, headers['access-control-allow-origin']]).toEqual([204, '', origin])
  expect((await sendView(`key=${key}&page=%2Fguide`)).status).toBe(204)
  const now = new Date().toUTCString().replace(/^\w+, (\d+) (\w+) (\d+) (\S+) GMT$/, '$1/$2/$3:$4 +0000')
  const line = `127.0.0.1 - - [${now}] "GET /guide HTTP/1.1" 200 5 "-" "${firefox}"`
  const sent = await send(used.server.url, `/quire/v1/projects/${used.projectId}/visits`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${used.keys.all}`, 'Content-Type': 'text/plain' },
    body: line,
  })
  expect(sent.json).toMatchObject({ lines: 1, counted: 0, known: 1 })
  expect((await sendView(`key=${key}&page=%2Fother`, { 'User-Agent': 'GPTBot/1.3' })).status).toBe(204)
  expect(await readReport()).toMatchObject({ totals: { human: 1, ai: 1, total: 2 } })
  const labels = await used.server.store.visits.countLabels(used.projectId, {})
  expect([...labels.keys()].some(label => label.includes('chatgpt.com'))).toBe(true)
})

test.each([
  ['another site', `page=%2Fa`, { Origin: 'https://evil.example' }, 'origin_not_allowed'],
  ['no site', `page=%2Fa`, { Origin: 'null' }, 'origin_not_allowed'],
])('a page view from %s is refused with the remedy', async (_, query, headers, code) => {
  const before = await readReport()
  const { status, json, headers: answered } = await sendView(`key=${key}&${query}`, headers)
  expect([status, json.code, answered['access-control-allow-origin']]).toEqual([403, code, undefined])
  expect(json.error).toContain('npx quire sites create')
  expect(await readReport()).toEqual(before)
})

test('a page that is no path of a page is refused', async () => {
  for (const page of ['', 'guide', '%2Fa%22b%0A127.0.0.1', `%2F${'a'.repeat(2048)}`, '%2Fcaf%C3%A9']) {
    const { status, json } = await sendView(`key=${key}&page=${page}`)
    expect([page, status, json.code]).toEqual([page, 400, 'invalid_request'])
  }
})

test('what a browser sends in its headers does not become another line', async () => {
  const before = await readReport()
  const agent = `${firefox}" 1 "`
  expect(
    (await sendView(`key=${key}&page=%2Fnew&referrer=%22%0A1.2.3.4%20-%20-`, { 'User-Agent': agent })).status,
  ).toBe(204)
  const { totals } = await readReport()
  expect((totals as { human: number }).human).toBe((before.totals as { human: number }).human + 1)
})

test('a key with the scope count does nothing else, and no other key may stand in the page', async () => {
  const answer = async (method: string, path: string, bearer: string) =>
    (await used.ask(method, path, undefined, bearer)).status
  const { projectId, keys } = used
  expect(await answer('GET', `/v1/analytics/${projectId}/visitors`, key)).toBe(403)
  expect(await answer('POST', `/quire/v1/projects/${projectId}/visits`, key)).toBe(403)
  expect((await sendView(`key=${ofOtherProject}&page=%2Fa`)).json.code).toBe('unknown_project')
  expect((await sendView(`key=${keys.all}&page=%2Fa`)).json.code).toBe('key_in_address')
  expect((await sendView(`key=${keys.ingest}&page=%2Fa`)).json.code).toBe('missing_scope')
  expect((await sendView('page=%2Fa')).status).toBe(401)
  expect((await sendView('page=%2Fa', { Authorization: `Bearer ${keys.all}` })).status).toBe(204)
})

test('an address that sends too many views in a minute is told how long to wait', async () => {
  let answer = await sendView(`key=${key}&page=%2Fguide`)
  for (let count = 0; count < 900 && answer.status === 204; count++) answer = await sendView(`key=${key}&page=%2Fguide`)
  expect([answer.status, answer.json.code]).toEqual([429, 'rate_limited'])
  const seconds = Number(answer.headers['retry-after'])
  expect(seconds).toBeGreaterThanOrEqual(1)
  expect(seconds).toBeLessThanOrEqual(60)
  expect(answer.json.error).toContain(`Try again after ${seconds} seconds.`)
})

test('characters that a query may have need not be encoded', async () => {
  expect((await sendView(`key=${key}&page=/guide&referrer=https://chatgpt.com/a:b`)).status).not.toBe(500)
  expect((await used.ask('GET', '/quire/v1/exports?domain=docs.example:443')).status).not.toBe(500)
})
