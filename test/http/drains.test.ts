import { createHash, createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { send } from '../support/client.ts'
import { createApiKey, createOrganization, startTestServer, type TestServer } from '../support/server.ts'

const secret = 'drain-secret-1'
const code = '4f1c9a0b2d3e5f60'
let server: TestServer
let projectId: string
let keys: { ingest: string; all: string }
let visits: string

beforeAll(async () => {
  server = await startTestServer({
    vercelVerify: code,
    vercelSecretFile: [secret],
    fastlyServices: ['SU1Z0isxPaozGVKXdv0eY', '*'],
  })
  const organization = await createOrganization(server.store)
  projectId = organization.projectId
  const { key: ingest } = await createApiKey(server.store, organization.organizationId, { scopes: ['ingest'] })
  const { key: all } = await createApiKey(server.store, organization.organizationId)
  keys = { ingest, all }
  visits = `/quire/v1/projects/${projectId}/visits`
})
afterAll(() => server.dispose())

const post = (path: string, body: string, headers: Record<string, string> = {}) =>
  send(server.url, path, { method: 'POST', headers, body })

describe('a drain of Vercel', () => {
  // Shaped as "Log Drains Reference" of Vercel describes: a request, and a line of a build.
  const request = (clientIp: string, path: string) => ({
    id: '1573817187330377061717300000',
    deploymentId: 'dpl_233NRGRjVZX1caZrXWtz5g1TAksD',
    source: 'static',
    host: 'my-app-abc123.vercel.app',
    timestamp: 1764151872344,
    projectId: 'gdufoJxB6b9b1fEqr1jUtFkyavUU',
    level: 'info',
    requestId: '643af4e3-975a-4cc7-9e7a-1eda11539d90',
    statusCode: 200,
    path,
    environment: 'production',
    proxy: {
      timestamp: 1764151872344,
      method: 'GET',
      host: 'my-app.vercel.app',
      path,
      userAgent: ['Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'],
      referer: 'https://my-app.vercel.app',
      region: 'sfo1',
      statusCode: 200,
      clientIp,
      scheme: 'https',
      vercelCache: 'HIT',
    },
  })
  const build = {
    id: '1573817187330377061717300001',
    deploymentId: 'dpl_233NRGRjVZX1caZrXWtz5g1TAksD',
    source: 'build',
    host: 'my-app-abc123.vercel.app',
    timestamp: 1764151872344,
    projectId: 'gdufoJxB6b9b1fEqr1jUtFkyavUU',
    level: 'info',
    message: 'Build completed',
    buildId: 'bld_cotnkcr76',
    type: 'stdout',
  }
  const sign = (body: string, key = secret) => createHmac('sha1', key).update(body).digest('hex')
  const sendSigned = (path: string, body: string, signature = sign(body)) =>
    post(path, body, { Authorization: `Bearer ${keys.ingest}`, 'x-vercel-signature': signature })

  test.each([
    ['JSON', (lines: object[]) => JSON.stringify(lines), '203.0.113.1'],
    ['NDJSON', (lines: object[]) => lines.map(line => JSON.stringify(line)).join('\n'), '203.0.113.2'],
  ])('in %s counts, and the answer has the code', async (_, write, address) => {
    const body = write([request(address, '/guide?utm=1'), request(address, '/'), build])
    const { status, json, headers } = await sendSigned(`${visits}?format=vercel`, body)
    expect({ status, json }).toMatchObject({ status: 200, json: { counted: 2, unreadable: [] } })
    expect(headers['x-vercel-verify']).toBe(code)
  })

  test('with a wrong signature or without one is refused, and counts nothing', async () => {
    const body = JSON.stringify([request('203.0.113.3', '/')])
    const refused = { status: 403, json: { code: 'invalid_signature' } }
    expect(await sendSigned(visits, body, sign(body, 'other'))).toMatchObject(refused)
    expect(await sendSigned('/quire/v1/visits', body, sign(body, 'other'))).toMatchObject({ status: 403 })
    const key = { Authorization: `Bearer ${keys.ingest}` }
    expect(await post(`${visits}?format=vercel`, body, key)).toMatchObject(refused)
    expect((await sendSigned(visits, body)).json).toMatchObject({ counted: 1 })
  })

  test.each(['GET', 'POST'])(
    'is checked with a %s without a body and a key, which is answered with the code',
    async method => {
      for (const path of [visits, '/quire/v1/visits']) {
        const { status, headers } = await send(server.url, path, { method })
        expect([status, headers['x-vercel-verify']]).toEqual([200, code])
      }
      expect((await send(server.url, `${visits}/more`, { method })).status).toBe(404)
    },
  )

  test('needs a key for lines', async () => {
    expect(await post(visits, '[]')).toMatchObject({ status: 401, json: { code: 'invalid_api_key' } })
  })
})

describe('a drain of Netlify', () => {
  // Shaped as the traffic logs in "Log Drains" of Netlify.
  const line = (client_ip: string) => ({
    account_id: '5b3e1c2f8f6d1a0001c0ffee',
    client_ip,
    content_type: 'text/html; charset=UTF-8',
    country: 'US',
    deploy_id: '62a8f1c2d3e4f50009b8a7c6',
    duration: 2,
    log_type: 'traffic',
    method: 'GET',
    referrer: '',
    request_id: '01G4EYJ8QK6T9YJ3V5N0ABCDEF',
    request_size: 0,
    response_size: 4211,
    site_id: '0d3a9d2f-ef94-4380-93df-27ee400e2048',
    status_code: 200,
    timestamp: '2025-11-26T10:11:12.344Z',
    url: 'https://docs.example.com/guide',
    user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
  })

  test('has its key in the address, and counts in both of its formats', async () => {
    const path = `${visits}?key=${keys.ingest}&format=netlify`
    const ndjson = await post(
      path,
      `${JSON.stringify(line('203.0.113.11'))}\n${JSON.stringify(line('203.0.113.12'))}\n`,
    )
    expect(ndjson).toMatchObject({ status: 200, json: { counted: 2 } })
    expect(await post(path, JSON.stringify([line('203.0.113.13')]))).toMatchObject({
      status: 200,
      json: { counted: 1 },
    })
    expect(JSON.stringify(server.logged)).not.toContain(keys.ingest)
  })

  test('a key in the address must be for log lines only, and is for nothing else', async () => {
    const body = JSON.stringify([line('203.0.113.14')])
    expect(await post(`${visits}?key=${keys.all}`, body)).toMatchObject({
      status: 403,
      json: { code: 'key_in_address' },
    })
    expect(await post(`${visits}?key=quire_wrong`, body)).toMatchObject({ status: 401 })
    expect(await post(`${visits}?key=a&key=b`, body)).toMatchObject({ status: 401 })
    const wrongHeader = { Authorization: 'Bearer wrong' }
    expect(await post(`${visits}?key=${keys.ingest}`, body, wrongHeader)).toMatchObject({ status: 401 })
    expect(await send(server.url, `/v1/analytics/${projectId}/visitors?key=${keys.all}`)).toMatchObject({ status: 401 })
  })
})

// "Log streaming: HTTPS" of Fastly: each SHA-256 on its own line, or an asterisk.
test("Fastly's challenge is answered with the services that may send", async () => {
  const response = await fetch(new URL('/.well-known/fastly/logging/challenge', server.url))
  expect(response.headers.get('content-type')).toMatch(/^text\/plain/)
  const hash = createHash('sha256').update('SU1Z0isxPaozGVKXdv0eY').digest('hex')
  expect(await response.text()).toBe(`${hash}\n*\n`)
})

test('without settings, no service is answered, and a signature is not checked', async () => {
  const plain = await startTestServer()
  try {
    const { organizationId, projectId } = await createOrganization(plain.store)
    const { key } = await createApiKey(plain.store, organizationId, { scopes: ['ingest'] })
    const path = `/quire/v1/projects/${projectId}/visits`
    expect((await send(plain.url, '/.well-known/fastly/logging/challenge')).status).toBe(404)
    expect((await send(plain.url, path)).status).toBe(405)
    const headers = { Authorization: `Bearer ${key}`, 'x-vercel-signature': 'x' }
    const answer = await send(plain.url, path, { method: 'POST', headers, body: '[]' })
    expect([answer.status, answer.headers['x-vercel-verify']]).toEqual([200, undefined])
  } finally {
    await plain.dispose()
  }
})
