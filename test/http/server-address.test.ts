import { afterEach, describe, expect, test } from 'vitest'
import { isInRanges, parseAddressRange } from '../../server/base/address-range.ts'
import type { ServeFlags } from '../../server/flags/serve-settings.ts'
import { readForwardedAddress } from '../../server/http/server-address.ts'
import { send } from '../support/client.ts'
import { startSite, waitFor } from '../support/export-site.ts'
import { createApiKey, createOrganization, startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer | undefined
let site: Awaited<ReturnType<typeof startSite>> | undefined
afterEach(async () => {
  await server?.dispose()
  await site?.close()
  server = undefined
  site = undefined
})

const loopback = [parseAddressRange('127.0.0.1')].filter(range => range !== undefined)
const proxied = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'api.example.com' }

/** Exports a site of one page, and returns what the server says about addresses. */
async function exportOnce(flags: Partial<ServeFlags>, headers: Record<string, string> = {}) {
  server = await startTestServer(flags)
  site = await startSite(1)
  const { url, store } = server
  const { organizationId, projectId } = await createOrganization(store)
  await store.sites.insert({ domain: 'docs.example.com', projectId, origin: site.url, createdAt: 0 })
  const { key } = await createApiKey(store, organizationId)
  const all = { ...headers, Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  const body = '{"domain":"docs.example.com"}'
  const started = await send(url, '/v1/static-export/jobs', { method: 'POST', headers: all, body })
  const jobPath = `/v1/static-export/jobs/${started.json.jobId}`
  const bundle = await waitFor(async () => {
    const answer = await send(url, `${jobPath}/bundle`, { method: 'POST', headers: all })
    return answer.status === 200 ? answer.json : undefined
  })
  return {
    location: String(started.headers.location).replace(jobPath, 'JOB'),
    link: String(bundle.bundleUrl).replace(/\/bundles\/.*/, '/LINK'),
    linkPath: /\/bundles\/.*/.exec(String(bundle.bundleUrl))?.[0] ?? '',
    map: /<loc>(.*)\/docs\/<\/loc>/.exec((await send(url, '/docs/sitemap.xml', { headers })).text)?.[1],
    document: ((await send(url, '/openapi.json', { headers })).json.servers as { url: string }[] | undefined)?.[0]?.url,
  }
}

test.each<{ what: string; flags: Partial<ServeFlags>; headers?: Record<string, string>; base: string }>([
  { what: 'the public URL', flags: { publicUrl: 'https://a.example.com/' }, base: 'https://a.example.com' },
  { what: 'its prefix', flags: { publicUrl: 'https://a.example.com/quire' }, base: 'https://a.example.com/quire' },
  {
    what: 'the public URL, whatever host a client sends',
    flags: { publicUrl: 'https://a.example.com' },
    headers: { ...proxied, Forwarded: 'host=evil.example;proto=https' },
    base: 'https://a.example.com',
  },
  {
    what: 'the host that a trusted proxy names',
    flags: { trustedProxies: loopback, publicUrl: 'https://a.example.com' },
    headers: proxied,
    base: 'https://api.example.com',
  },
  {
    what: 'the prefix that a trusted proxy names',
    flags: { trustedProxies: loopback },
    headers: { ...proxied, 'X-Forwarded-Prefix': '/quire' },
    base: 'https://api.example.com/quire',
  },
  {
    what: 'the public URL when the trusted proxy names no host',
    flags: { trustedProxies: loopback, publicUrl: 'https://a.example.com' },
    base: 'https://a.example.com',
  },
  {
    what: 'the public URL when the trusted proxy names only the protocol, whatever Host a client sends',
    flags: { trustedProxies: loopback, publicUrl: 'https://a.example.com' },
    headers: { 'X-Forwarded-Proto': 'https', Host: 'evil.example.com' },
    base: 'https://a.example.com',
  },
])('links and Location begin with $what', async ({ flags, headers, base }) => {
  expect(await exportOnce(flags, headers)).toMatchObject({
    location: `${base}JOB`,
    link: `${base}/LINK`,
    map: base,
    document: base,
  })
})

test.each<{ what: string; flags: Partial<ServeFlags> }>([
  { what: 'an untrusted peer names a host', flags: {} },
  {
    what: 'the trusted proxies are others',
    flags: { trustedProxies: [parseAddressRange('10.0.0.0/8')].filter(r => !!r) },
  },
])('when $what, Location is a path and links have the address of the server', async ({ flags }) => {
  const { location, link, linkPath } = await exportOnce(flags, proxied)
  const { url } = server as TestServer
  expect({ location, link }).toEqual({ location: 'JOB', link: `${url}/LINK` })
  expect((await send(url, linkPath)).status).toBe(200)
})

describe.each(['0.0.0.0', '::'])('a server that listens on %s', host => {
  test('gives links that work on this machine, and says that nobody named a public address', async () => {
    const { link, linkPath } = await exportOnce({ host })
    const { url, logged } = server as TestServer
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/LINK$/)
    expect((await send(url, linkPath)).status).toBe(200)
    const said = logged.filter(line => Number(line.level) >= 40).map(({ msg }) => msg)
    expect(said).toEqual([expect.stringContaining('set --public-url')])
    expect(JSON.stringify(logged)).not.toMatch(/:\/\/(0\.0\.0\.0|\[::\])/)
  })

  test('says nothing when there is a public URL', async () => {
    server = await startTestServer({ host, publicUrl: 'https://a.example.com' })
    expect(server.logged.filter(line => Number(line.level) >= 40)).toEqual([])
  })
})

const ranges = ['10.0.0.0/8', 'fd00::/8'].map(text => parseAddressRange(text)).filter(range => range !== undefined)
const isTrusted = (address: string) => isInRanges(address, ranges)
const read = (headers: Record<string, string>, prefix = '') => readForwardedAddress(headers, { isTrusted, prefix })

const https = { 'x-forwarded-proto': 'https' }

test.each([
  [{ forwarded: 'for=192.0.2.1;host=api.example.com;proto=https' }, 'https://api.example.com'],
  [{ forwarded: 'for="[2001:db8::1]:80"; Host="api.example.com:8443" ;PROTO=HTTPS' }, 'https://api.example.com:8443'],
  [{ host: 'api.example.com', forwarded: 'for=_a;proto=http' }, 'http://api.example.com'],
  [{ host: 'api.example.com', ...https }, 'https://api.example.com'],
  [{ ...https, host: 'inner', 'x-forwarded-host': 'api.example.com' }, 'https://api.example.com'],
  [{ ...https, 'x-forwarded-host': 'evil.example, api.example.com' }, 'https://api.example.com'],
  [{ ...https, 'x-forwarded-host': 'api.example.com', 'x-forwarded-port': '8443' }, 'https://api.example.com:8443'],
  [{ ...https, 'x-forwarded-host': 'api.example.com', 'x-forwarded-port': '443' }, 'https://api.example.com'],
  [{ ...https, 'x-forwarded-host': 'api.example.com:99', 'x-forwarded-port': '8443' }, 'https://api.example.com:99'],
  [
    { ...https, 'x-forwarded-host': 'api.example.com', 'x-forwarded-prefix': '/quire/' },
    'https://api.example.com/quire',
  ],
])('%j is %s', (headers, want) => {
  expect(read(headers)).toBe(want)
})

test('of a chain, the element of the outermost trusted proxy counts', () => {
  const inner = 'for=10.0.0.7;host=inner;proto=http'
  const outer = 'for=192.0.2.1;host=api.example.com;proto=https'
  expect(read({ forwarded: `for=1.2.3.4;host=evil.example;proto=http, ${outer}, ${inner}` })).toBe(
    'https://api.example.com',
  )
  expect(read({ forwarded: `${outer}, for="[fd00::1]:80";host=inner;proto=http` })).toBe('https://api.example.com')
})

test('the prefix of the public URL is kept unless the proxy names another', () => {
  const headers = { ...https, host: 'api.example.com' }
  expect(read(headers, '/quire')).toBe('https://api.example.com/quire')
  expect(read({ ...headers, 'x-forwarded-prefix': '/a' }, '/quire')).toBe('https://api.example.com/a')
})

test.each([
  {},
  { host: 'api.example.com' },
  { 'x-forwarded-for': '192.0.2.1', host: 'api.example.com' },
  // The proxy sets one of the two, and passes on the other as the client sent it.
  { ...https, host: 'api.example.com', forwarded: 'host=evil.example;proto=https' },
  { ...https, 'x-forwarded-host': 'evil.example', forwarded: 'host=api.example.com;proto=https' },
  { ...https, host: 'api.example.com', forwarded: 'proto=http' },
  { ...https, 'x-forwarded-host': '0.0.0.0:8787' },
  { ...https, 'x-forwarded-host': '0x0' },
  { ...https, 'x-forwarded-host': '[::]:8787' },
  { ...https, 'x-forwarded-host': '[2001:db8::1]' },
  { ...https, 'x-forwarded-host': 'a b' },
  { ...https, 'x-forwarded-host': 'user@api.example.com' },
  { ...https, 'x-forwarded-host': 'api.example.com/a' },
  { ...https, 'x-forwarded-host': '$(id)' },
  { ...https, 'x-forwarded-host': 'api.example.com:999999' },
  { 'x-forwarded-proto': 'javascript', 'x-forwarded-host': 'api.example.com' },
  { ...https, 'x-forwarded-host': 'api.example.com', 'x-forwarded-prefix': '//evil.example' },
  { ...https, 'x-forwarded-host': 'api.example.com', 'x-forwarded-prefix': '/a/../b' },
  { ...https, 'x-forwarded-host': 'api.example.com', 'x-forwarded-prefix': '/a?b' },
  { forwarded: 'host=api.example.com' },
  { forwarded: 'host="api.example.com;proto=https' },
  { forwarded: 'host=api.example.com;proto=https;=' },
])('%j says nothing that a link may contain', headers => {
  expect(read(headers)).toBeUndefined()
})

test('a long header is read in linear time', () => {
  expect(read({ forwarded: 'for="\\'.repeat(50_000) })).toBeUndefined()
  expect(read({ forwarded: ' ;,'.repeat(80_000) })).toBeUndefined()
})

test.each([
  ['127.0.0.1', '127.0.0.1', true],
  ['127.0.0.1', '127.0.0.2', false],
  ['10.0.0.0/8', '10.200.3.4', true],
  ['10.0.0.0/8', '::ffff:10.200.3.4', true],
  ['10.0.0.0/8', '11.0.0.1', false],
  ['fd00::/8', 'fd12::1', true],
  ['fd00::/8', '10.0.0.1', false],
  ['::1', '::1', true],
  ['::ffff:10.0.0.0/104', '10.200.3.4', true],
  ['::ffff:10.0.0.0/104', '11.0.0.1', false],
  ['::/0', '10.0.0.1', false],
])('%s has %s: %s', (range, address, want) => {
  const parsed = parseAddressRange(range)
  expect(parsed && isInRanges(address, [parsed])).toBe(want)
})

test.each(['', 'a', '10.0.0.0/33', '10/8', '10', '127.0.0.1/', '0x7f.0.0.1', '10.0.0.0/-1'])('%j is no range', text => {
  expect(parseAddressRange(text)).toBeUndefined()
})
