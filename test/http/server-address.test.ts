import { afterEach, describe, expect, test } from 'vitest'
import { parseAddressRange } from '../../server/base/address-range.ts'
import type { ServeFlags } from '../../server/flags/serve-options.ts'
import { send } from '../support/client.ts'
import { startSite, waitFor } from '../support/export-site.ts'
import { createApiKey, createOrganization, startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer | undefined
let site: Awaited<ReturnType<typeof startSite>> | undefined
afterEach(async () => {
  await server?.dispose()
  await site?.close()
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
