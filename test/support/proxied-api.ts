import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { ServeFlags } from '../../server/flags/serve-settings.ts'
import { startSite, waitFor } from './export-site.ts'
import { createApiKey, createOrganization, startTestServer } from './server.ts'

const openssl = '/usr/bin/openssl'
/** Why `openProxiedApi` cannot be used; undefined = it can. */
export const whyNoCertificate = existsSync(openssl) ? undefined : 'apt-get install openssl'

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

type Ask = (url: string, sent?: { method?: string; headers?: Record<string, string>; body?: string }) => Promise<Answer>

export type ProxiedApi = Awaited<ReturnType<typeof openProxiedApi>>

/**
 * A folder with a certificate for both names in the documentation, and a site to export, for servers behind a proxy with TLS. The caller
 * closes it.
 */
export async function openProxiedApi() {
  const folder = mkdtempSync(join(tmpdir(), 'quire-proxied-'))
  const site = await startSite(2)
  const files = { certificate: join(folder, 'certificate.pem'), key: join(folder, 'key.pem') }
  createCertificate(files)
  const ca = readFileSync(files.certificate, 'utf8')

  /** Sends a request to the proxy as a client does that resolves the name of the URL to this machine. The path stays as written. */
  const ask: Ask = (url, { method = 'GET', headers = {}, body = '' } = {}) => {
    const { hostname, port, host } = new URL(url)
    const path = url.slice(url.indexOf(host) + host.length)
    const options = { host: '127.0.0.1', port, path, method, servername: hostname, ca, agent: false }
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

  return {
    folder,
    files,
    ask,
    expectEverything: (base: string, key: { Authorization: string }) => expectEverything(ask, base, key),
    /** Starts a server that has the site and an API key. The caller disposes of it. */
    async startServer(flags: Partial<ServeFlags>) {
      const server = await startTestServer(flags)
      const { organizationId, projectId } = await createOrganization(server.store)
      await server.store.sites.insert({ domain: 'docs.example.com', projectId, origin: site.url, createdAt: 0 })
      const key = { Authorization: `Bearer ${(await createApiKey(server.store, organizationId)).key}` }
      return { server, key }
    },
    async close(): Promise<void> {
      await site.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function createCertificate({ certificate, key }: { certificate: string; key: string }): void {
  const names = 'subjectAltName=DNS:api.example.com,DNS:api.example.net'
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const args = ['req', '-x509', ...curve, '-days', '2', '-subj', '/CN=quire', '-addext', names]
  execFileSync(openssl, [...args, '-keyout', key, '-out', certificate], { stdio: 'ignore' })
}

/** Returns the JSON of an answer. */
export const json = ({ body }: Answer) => JSON.parse(body.toString())

/** Does what a client does at an address: follow `/` to the sign-in, read the documentation, export, follow Location and the bundle link. */
async function expectEverything(ask: Ask, base: string, key: { Authorization: string }): Promise<void> {
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
