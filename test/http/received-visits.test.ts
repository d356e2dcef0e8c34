import { Agent, request } from 'node:http'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { send } from '../support/client.ts'
import { useExtensionsServer } from '../support/extensions-server.ts'
import { createApiKey, createOrganization, startTestServer } from '../support/server.ts'

const used = useExtensionsServer()

const time = (minute: number) => `20/Nov/2026:10:${String(minute).padStart(2, '0')}:00 +0000`
const line = (i: number, path: string) =>
  `203.0.113.${i} - - [${time(i)}] "GET ${path} HTTP/1.1" 200 5120 "-" "Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0"`
const lines = [line(1, '/'), line(2, '/'), line(2, '/guide'), line(3, '/style.css'), 'no line', ''].join('\n')

async function sendLines(
  path: string,
  body: string | Buffer,
  more: Record<string, string> = {},
  bearer = used.keys.ingest,
) {
  const headers = { Authorization: `Bearer ${bearer}`, 'Content-Type': 'text/plain', ...more }
  const { status, json } = await send(used.server.url, path, { method: 'POST', headers, body })
  return { status, json }
}

test('an organization that has sent its bytes of the hour is told to wait, on each path', async () => {
  const server = await startTestServer({ visitsHourMb: 1 })
  try {
    const { organizationId, projectId } = await createOrganization(server.store)
    const { key } = await createApiKey(server.store, organizationId, { scopes: ['ingest'] })
    const post = (path: string, body: Buffer | string) =>
      send(server.url, path, { method: 'POST', headers: { Authorization: `Bearer ${key}` }, body })
    const visits = `/quire/v1/projects/${projectId}/visits`
    expect((await post(visits, Buffer.alloc(1024 * 1024 * 2, 'a'.repeat(99).concat('\n')))).status).toBe(200)
    for (const path of [visits, '/quire/v1/visits']) {
      const { status, json, headers } = await post(path, 'a line')
      expect([status, json.code]).toEqual([429, 'rate_limited'])
      expect(Number(headers['retry-after'])).toBeGreaterThan(3500)
    }
  } finally {
    await server.dispose()
  }
})

describe('sendVisits', () => {
  test('counts lines, once, in each encoding and layout', async () => {
    const project = await used.addProject()
    const visits = `/quire/v1/projects/${project}/visits`
    const first = await sendLines(visits, lines, {}, used.keys.all)
    expect(first).toEqual({
      status: 200,
      json: {
        lines: 5,
        counted: 3,
        known: 0,
        tooOld: 0,
        filtered: 1,
        unreadable: [{ reason: expect.any(String), count: 1 }],
      },
    })
    const report = `/v1/analytics/${project}/visitors`
    const counted = await used.ask('GET', report)
    expect(counted.json.totals).toEqual({ human: 2, ai: 0, total: 2 })
    const again = await sendLines(visits, gzipSync(lines), { 'Content-Encoding': 'gzip' }, used.keys.all)
    expect(again.json).toMatchObject({ counted: 0, known: 3 })
    const records = lines.split('\n').map(log => ({ log }))
    const asArray = await sendLines(
      visits,
      JSON.stringify(records),
      { 'Content-Type': 'application/json' },
      used.keys.all,
    )
    expect(asArray).toMatchObject({ status: 200, json: { counted: 0, known: 3 } })
    expect(await used.ask('GET', report)).toEqual(counted)
  })

  test('refuses what cannot be counted, and counts nothing of it', async () => {
    const visits = `/quire/v1/projects/${used.projectId}/visits`
    const gzip = { 'Content-Encoding': 'gzip' }
    expect(await sendLines(visits, 'no gzip', gzip)).toMatchObject({ status: 400, json: { code: 'malformed_body' } })
    expect(await sendLines(visits, lines, { 'Content-Encoding': 'br' })).toMatchObject({
      status: 415,
      json: { code: 'unsupported_media_type' },
    })
    expect(await sendLines(`${visits}?format=none`, lines)).toMatchObject({
      status: 400,
      json: { code: 'invalid_request' },
    })
    const large = await sendLines(visits, Buffer.alloc(16 * 1024 * 1024 + 1, 'a\n'))
    expect(large).toMatchObject({ status: 413, json: { code: 'body_too_large' } })
    expect(await sendLines(visits, lines, {}, used.keys.other)).toMatchObject({
      status: 404,
      json: { code: 'unknown_project' },
    })
    expect((await used.ask('GET', `/v1/analytics/${used.projectId}/visitors`)).json.totals).toEqual({
      human: 0,
      ai: 0,
      total: 0,
    })
  })

  test('by host, lines count for the project of their site', async () => {
    expect(await sendLines('/quire/v1/visits', lines, {}, used.keys.all)).toMatchObject({
      status: 400,
      json: { code: 'no_site' },
    })
    const project = await used.addProject()
    const site = { domain: 'docs.acme.test', projectId: project, origin: 'http://127.0.0.1:9/', createdAt: 0 }
    await used.server.store.sites.insert(site)
    const hosts = ['docs.acme.test', 'other.test'].map(host =>
      JSON.stringify({
        ClientIP: '203.0.113.5',
        ClientRequestMethod: 'GET',
        ClientRequestHost: host,
        ClientRequestURI: '/',
        EdgeResponseStatus: 200,
        EdgeStartTimestamp: '2026-11-20T10:00:00Z',
        ClientRequestUserAgent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0',
      }),
    )
    const answer = await sendLines(
      '/quire/v1/visits',
      hosts.join('\n'),
      { 'Content-Type': 'application/x-ndjson' },
      used.keys.all,
    )
    expect(answer.json).toMatchObject({ lines: 2, counted: 1, filtered: 1 })
    const bound = await sendLines('/quire/v1/visits', hosts.join('\n'))
    expect(bound).toMatchObject({ status: 403, json: { code: 'missing_scope' } })
  })
})

test('reads the next request of a connection after a body that is too large', async () => {
  const project = await used.addProject()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const post = (body: string | Buffer) =>
    new Promise<{ status: number | undefined; port: number | undefined }>((done, failed) => {
      const headers = { Authorization: `Bearer ${used.keys.all}`, 'Content-Length': Buffer.byteLength(body) }
      const url = `${used.server.url}/quire/v1/projects/${project}/visits`
      const sent = request(url, { method: 'POST', headers, agent }, res => {
        const port = res.socket.localPort
        res.resume().on('end', () => done({ status: res.statusCode, port }))
      })
      sent.on('error', failed).end(body)
    })
  const refused = await post(Buffer.alloc(17 * 1024 * 1024, 'a\n'))
  expect(refused.status).toBe(413)
  expect(await post('no line')).toEqual({ status: 200, port: refused.port })
  agent.destroy()
})

describe('the settings of the lines', () => {
  const records = [1, 2].map(i =>
    JSON.stringify({
      ts: '2026-11-20T10:00:00Z',
      req: { m: 'GET', url: '/own', ua: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0' },
      status: 200,
      ip: '10.0.0.1',
      forwarded: `198.51.100.7, 203.0.113.${i}`,
    }),
  )
  const fields = 'time=ts,method=req.m,path=req.url,status=status,userAgent=req.ua,address=ip'

  test.each([
    ['address of the proxy', `jsonFields=${fields}`, 1],
    ['leftmost address', `jsonFields=${fields}&clientField=forwarded`, 1],
    ['address that the proxy wrote', `format=json&jsonFields=${fields}&clientField=forwarded&trustedProxies=1`, 2],
  ])('reads JSON by its fields, and the %s', async (_, query, counted) => {
    const path = `/quire/v1/projects/${await used.addProject()}/visits?${query}`
    const answer = await sendLines(path, records.join('\n'), {}, used.keys.all)
    expect(answer).toMatchObject({ status: 200, json: { counted, known: 2 - counted, unreadable: [] } })
    expect(answer.json).not.toHaveProperty('hint')
  })

  test('a batch without a readable line is counted, and the answer says what to do', async () => {
    for (const query of ['', '?format=combined', '?format=netlify']) {
      const answer = await sendLines(`/quire/v1/projects/${used.projectId}/visits${query}`, records.join('\n'))
      expect(answer).toMatchObject({ status: 200, json: { lines: 2, hint: expect.stringContaining('?format=NAME') } })
    }
    const empty = await sendLines(`/quire/v1/projects/${used.projectId}/visits`, '')
    expect(empty.json).not.toHaveProperty('hint')
  })

  test.each([
    ['format=json', 'format json needs jsonFields'],
    [`format=combined&jsonFields=${fields}`, 'no other format can have them'],
    ['jsonFields=time', 'jsonFields time: write NAME=PATH'],
    ['jsonFields=time=ts', 'jsonFields lacks method'],
    ['jsonFields=when=ts', 'jsonFields when is unknown'],
    ['trustedProxies=1', 'trustedProxies needs clientField'],
    ['trustedProxies=0&clientField=forwarded', 'trustedProxies must be'],
    ['clientField=', 'clientField is empty'],
    ['format=combined&clientField=X-Forwarded-For', 'clientField '],
  ])('%s is refused: %s', async (query, reason) => {
    const { status, json } = await sendLines(`/quire/v1/projects/${used.projectId}/visits?${query}`, lines)
    expect([status, json.code]).toEqual([400, 'invalid_request'])
    expect(json.error).toContain(reason)
  })
})
