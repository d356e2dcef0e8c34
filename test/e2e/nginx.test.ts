import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { parseAddressRange } from '../../server/base/address-range.ts'
import type { ServeFlags } from '../../server/flags/serve-settings.ts'
import { startSite, waitFor } from '../support/export-site.ts'
import { findNginx } from '../support/nginx.ts'
import { createApiKey, createOrganization, startTestServer, type TestServer } from '../support/server.ts'

const found = findNginx()
const openssl = '/usr/bin/openssl'
const reason = 'missing' in found ? found.missing : existsSync(openssl) ? undefined : 'apt-get install openssl'
const page = readFileSync(join(import.meta.dirname, '../../server/docs/pages/operate.md'), 'utf8')
const [plain = '', belowPath = '', severalAddresses = ''] = [...page.matchAll(/```nginx\n([\s\S]*?)```/g)].map(
  ([, block = '']) => block,
)

let folder: string
let certificate: string
let site: Awaited<ReturnType<typeof startSite>>
const ends: (() => unknown)[] = []

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-nginx-'))
  site = await startSite(2)
})
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})
afterAll(async () => {
  await site.close()
  rmSync(folder, { recursive: true, force: true })
})

function findFreePort(): Promise<number> {
  return new Promise(done => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => done(port))
    })
  })
}

/** Makes a certificate of this test for both names in the documentation. */
function createCertificate(): void {
  const names = 'subjectAltName=DNS:api.example.com,DNS:api.example.net'
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'certificate.pem')]
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  execFileSync('openssl', ['req', '-x509', ...curve, '-days', '2', '-subj', '/CN=quire', '-addext', names, ...files], {
    stdio: 'ignore',
  })
  certificate = readFileSync(join(folder, 'certificate.pem'), 'utf8')
}

/** Starts nginx with a configuration of the documentation, with only the files, the port and the server replaced. */
async function startNginx(block: string, port: number, server: TestServer): Promise<void> {
  const site = block
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace('/etc/ssl/quire/fullchain.pem', join(folder, 'certificate.pem'))
    .replace('/etc/ssl/quire/privkey.pem', join(folder, 'key.pem'))
    .replace('/var/log/nginx/quire.log', join(folder, 'access.log'))
    .replace('http://127.0.0.1:8787', server.url)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    name => `${name}_temp_path ${join(folder, name)};`,
  )
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  const file = join(folder, 'nginx.conf')
  writeFileSync(
    file,
    `${user} daemon off; pid ${join(folder, 'pid')}; events {}\nhttp {\n${temporary.join('\n')}\n${site}}\n`,
  )
  const nginx = spawn((found as { path: string }).path, ['-p', folder, '-c', file, '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let errors = ''
  nginx.stderr.on('data', chunk => {
    errors += chunk
  })
  const ended = new Promise<void>(done => nginx.once('exit', () => done()))
  ends.push(() => {
    nginx.kill('SIGTERM')
    return ended
  })
  await waitFor(async () => {
    if (nginx.exitCode !== null) throw new Error(`nginx ended: ${errors}`)
    return ask(`https://api.example.com:${port}/`).catch(() => undefined)
  }, 10_000)
}

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/** Sends a request to nginx as a client does that resolves the name of the URL to this machine. The path stays as written. */
function ask(url: string, { method = 'GET', headers = {}, body = '' } = {}): Promise<Answer> {
  const { hostname, port, host } = new URL(url)
  const path = url.slice(url.indexOf(host) + host.length)
  const options = { host: '127.0.0.1', port, path, method, servername: hostname, ca: certificate, agent: false }
  return new Promise((done, failed) => {
    const req = request({ ...options, headers: { Host: host, ...headers } }, async res => {
      const chunks: Buffer[] = []
      for await (const chunk of res) chunks.push(chunk)
      done({ status: res.statusCode ?? 0, headers: res.headers, body: Buffer.concat(chunks) })
    })
    req.on('error', failed)
    req.end(body)
  })
}

const json = ({ body }: Answer) => JSON.parse(body.toString())

async function start(block: string, port: number, flags: Partial<ServeFlags>) {
  createCertificate()
  const server = await startTestServer(flags)
  ends.push(server.dispose)
  await startNginx(block, port, server)
  const { organizationId, projectId } = await createOrganization(server.store)
  await server.store.sites.insert({ domain: 'docs.example.com', projectId, origin: site.url, createdAt: 0 })
  return { Authorization: `Bearer ${(await createApiKey(server.store, organizationId)).key}` }
}

/** What a client does at this address: follow `/` to the sign-in, read the documentation, export, follow Location and the bundle link. */
async function expectEverything(base: string, key: { Authorization: string }): Promise<void> {
  const first = await ask(`${base}/`, { headers: { Accept: 'text/html' } })
  expect(first.status).toBe(302)
  const dashboard = new URL(first.headers.location ?? '', `${base}/`).href
  const signIn = new URL((await ask(dashboard)).headers.location ?? '', dashboard).href
  expect(signIn).toBe(`${base}/dashboard/sign-in`)
  expect((await ask(signIn)).status).toBe(200)
  const docs = await ask(`${base}/docs/`)
  expect([docs.status, docs.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  const style = /<link rel="stylesheet" href="([^"]+)"/.exec(docs.body.toString())?.[1] ?? ''
  expect((await ask(new URL(style, `${base}/docs/`).href)).headers['content-type']).toContain('text/css')
  const redirect = await ask(`${base}/docs/operate/`)
  expect(new URL(redirect.headers.location ?? '', `${base}/docs/operate/`).href).toBe(`${base}/docs/operate`)
  expect(json(await ask(`${base}/openapi.json`)).servers[0].url).toBe(base)
  expect((await ask(`${base}/docs/sitemap.xml`)).body.toString()).toContain(`<loc>${base}/docs/</loc>`)

  const encoded = await ask(`${base}/v1/analytics/a%2Fb%3Fc%23d/visitors`, { headers: key })
  expect([encoded.status, json(encoded).error]).toEqual([404, expect.stringContaining('Invalid project id')])

  const started = await ask(`${base}/v1/static-export/jobs`, {
    method: 'POST',
    headers: { ...key, 'Content-Type': 'application/json' },
    body: '{"domain":"docs.example.com"}',
  })
  expect(started.status).toBe(202)
  expect(started.headers.location).toBe(`${base}/v1/static-export/jobs/${json(started).jobId}`)
  const job = String(started.headers.location)
  await waitFor(async () => {
    const { status } = json(await ask(job, { headers: key }))
    return status === 'completed' || undefined
  })
  const { bundleUrl, sizeBytes } = json(await ask(`${job}/bundle`, { method: 'POST', headers: key }))
  expect(bundleUrl.startsWith(`${base}/bundles/`)).toBe(true)
  const bundle = await ask(bundleUrl)
  expect([bundle.status, bundle.body.length]).toEqual([200, sizeBytes])
  expect((await ask(bundleUrl, { headers: { Range: 'bytes=0-1' } })).body.toString()).toBe('PK')
  expect((await ask(`${bundleUrl}0`)).status).toBe(403)
}

describe.skipIf(reason !== undefined)(`behind nginx with TLS${reason ? `: ${reason}` : ''}`, () => {
  test('the configuration of the documentation serves the whole API', async () => {
    const port = await findFreePort()
    const base = `https://api.example.com:${port}`
    await expectEverything(base, await start(plain, port, { publicUrl: base }))
  })

  test('the one for a path serves it below the path', async () => {
    const port = await findFreePort()
    const base = `https://api.example.com:${port}/quire`
    await expectEverything(base, await start(belowPath, port, { publicUrl: `${base}/` }))
  })

  test('the one for several addresses gives each client links to the address that it used', async () => {
    const port = await findFreePort()
    const trustedProxies = [parseAddressRange('127.0.0.1')].filter(range => range !== undefined)
    const key = await start(severalAddresses, port, { trustedProxies })
    await expectEverything(`https://api.example.com:${port}`, key)
    await expectEverything(`https://api.example.net:${port}`, key)
    const forged = { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Prefix': '/evil', Forwarded: 'host=evil.example' }
    const document = await ask(`https://api.example.com:${port}/openapi.json`, { headers: forged })
    expect(json(document).servers[0].url).toBe(`https://api.example.com:${port}`)
  })
})
