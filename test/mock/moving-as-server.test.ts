import { gzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { useExtensionsServer } from '../support/extensions-server.ts'
import { createStepMock } from './step-mock.ts'

const used = useExtensionsServer()
beforeAll(async () => {
  const { server, projectId } = used
  await server.store.sites.insert({ domain: 'docs.example.com', projectId, origin: null, createdAt: 0 })
})

const project = 'prj_5b1c2d3e4f506172'
const visits = `/quire/v1/projects/${project}/visits`
const webhooks = '/quire/v1/webhooks'
const browser = 'Mozilla/5.0 (X11; Linux x64; rv:145.0) Gecko/20100101 Firefox/145.0'
/** A line of a page that no other case has, because the server remembers the pages that it counted. */
const view = (page: string) =>
  `203.0.113.9 - - [20/Nov/2026:10:00:00 +0000] "GET ${page} HTTP/1.1" 200 5120 "-" "${browser}"\n`
const record = (page: string) =>
  JSON.stringify({
    ClientIP: '203.0.113.9',
    ClientRequestHost: 'docs.example.com',
    ClientRequestMethod: 'GET',
    ClientRequestURI: page,
    EdgeResponseStatus: 200,
    EdgeStartTimestamp: '2026-11-20T10:00:00Z',
    ClientRequestUserAgent: browser,
  })
const gzip = { 'Content-Encoding': 'gzip' }
const json = { 'Content-Type': 'application/json' }

test.each<[string, { path?: string; body?: BodyInit; headers?: Record<string, string> }]>([
  ['lines, one of them twice', { body: view('/a') + view('/b') + view('/a') }],
  ['a request that is no GET', { body: view('/c') + view('/c').replace('GET', 'POST') }],
  ['records', { body: `${record('/d')}\n` }],
  ['an array of records', { body: `[${record('/e')},${record('/e')}]` }],
  ['an empty array', { body: '[]' }],
  ['no body', {}],
  ['empty lines', { body: '\n\r\n' }],
  ['an empty line between others', { body: `${view('/f')}\n${view('/f')}` }],
  ['text without a log', { body: 'hello\nworld' }],
  ['gzip', { body: gzipSync(view('/g')), headers: gzip }],
  ['gzip that no header announces', { body: gzipSync(view('/h')) }],
  ['gzip that is cut off', { body: gzipSync(view('/i')).subarray(0, 60), headers: gzip }],
  ['an unknown encoding', { body: view('/j'), headers: { 'Content-Encoding': 'br' } }],
  ['a body of 17 MB', { body: 'a'.repeat(17 * 1024 * 1024) }],
  ['an unknown project', { path: '/quire/v1/projects/prj_unknown/visits', body: view('/k') }],
  ['a wrong parameter', { path: `${visits}?trustedProxies=0`, body: view('/l') }],
  ['hosts', { path: '/quire/v1/visits', body: `docs.example.com:443 ${view('/m')}other.example:443 ${view('/m')}` }],
  [
    'a webhook',
    { path: webhooks, body: '{"url":"https://a.example#x","events":["key.expiring","export.failed"]}', headers: json },
  ],
  ['a webhook without https', { path: webhooks, body: '{"url":"http://a.example/"}', headers: json }],
  ['a webhook at a private address', { path: webhooks, body: '{"url":"https://192.168.0.1/"}', headers: json }],
  ['an unknown webhook', { path: `${webhooks}/wh_unknown/test` }],
])('the mock answers %s as the server does', async (_, { path = visits, body, headers = {} }) => {
  const init = (key: string): RequestInit => ({
    method: 'POST',
    headers: { ...headers, Authorization: `Bearer ${key}` },
    ...(body !== undefined && { body }),
  })
  const { mock } = createStepMock()
  const mocked = await mock.answer(new Request(`http://mock.test${path}`, init('any')))
  const served = await fetch(used.server.url + path.replace(project, used.projectId), init(used.keys.all))
  const { requestId: _id, ...want } = await served.json()
  for (const name of ['id', 'secret', 'createdAt']) if (name in want) want[name] = expect.any(String)
  expect(await mocked.json()).toMatchObject(want)
  expect(mocked.status).toBe(served.status)
})
