import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { findFreePort } from '../../scripts/bench/find-free-port.ts'
import { openPostgres } from '../../server/store/open-postgres.ts'
import { findCaddy, startCaddy } from '../support/caddy.ts'
import { send } from '../support/client.ts'
import { startSite, waitFor } from '../support/export-site.ts'
import { findNginx, startNginx } from '../support/nginx.ts'
import { createTestDatabase, findPostgres, type TestDatabase } from '../support/postgres/test-database.ts'
import { runQuire, type ServeProcess, startServe } from '../support/process.ts'
import { createS3Bucket, whyNoS3Server } from '../support/s3-server.ts'
import { createApiKey, createOrganization } from '../support/server.ts'
import { deployment } from './chart-values.ts'

// The servers of the Compose file as processes, with its settings, behind each of the two proxies with the configuration beside it. Only
// addresses are replaced.

const found = await findPostgres()
const reason = 'missing' in found ? found.missing : whyNoS3Server()
const proxies = [
  { name: 'nginx', found: findNginx(), start: startNginxOfFile },
  { name: 'Caddy', found: findCaddy(), start: startCaddyOfFile },
]

const { services } = parse(readFileSync(join(deployment, 'compose.yaml'), 'utf8'), { merge: true }) as {
  services: Record<string, { environment: Record<string, string>; command: string[] }>
}

if (reason !== undefined) console.log(`The servers of the Compose file are not tested: ${reason}`)

let folder: string
let database: TestDatabase
let s3: Awaited<ReturnType<typeof createS3Bucket>>
let site: Awaited<ReturnType<typeof startSite>>
let endProxy: (() => Promise<void>) | undefined
let url: string
let headers: Record<string, string>
const servers: Record<string, ServeProcess> = {}

beforeAll(async () => {
  if (reason !== undefined) return
  folder = mkdtempSync(join(tmpdir(), 'quire-proxied-'))
  database = await createTestDatabase((found as { url: string }).url)
  s3 = await createS3Bucket('quire')
  site = await startSite(3)
  writeFileSync(join(folder, 'link.key'), 'a'.repeat(64))
  url = `http://127.0.0.1:${await findFreePort()}`
  const { command } = services.migration as { command: string[] }
  expect(await runQuire(command, { env: environmentOf('migration') })).toMatchObject({ code: 0, stderr: '' })
  await addSite()
  for (const name of ['api-1', 'api-2', 'runner-1', 'runner-2'])
    servers[name] = await startServe(['--verify', 'static'], { env: environmentOf(name) })
})
afterEach(async () => {
  await endProxy?.()
  endProxy = undefined
})
afterAll(async () => {
  await Promise.all(Object.values(servers).map(server => server.child.exitCode ?? server.end('SIGKILL')))
  await site?.close()
  await s3?.dispose()
  await database?.drop()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

/** The settings of a service, with the addresses of this machine. Each service has its own data folder. */
function environmentOf(name: string): Record<string, string> {
  const replaced: Record<string, string> = {
    ...s3.credentials,
    QUIRE_DATABASE: database.url,
    QUIRE_BUNDLES: `s3://quire?endpoint=${s3.endpoint}`,
    QUIRE_LINK_KEY_FILE: join(folder, 'link.key'),
    QUIRE_PUBLIC_URL: url,
    QUIRE_TRUSTED_PROXIES: '127.0.0.1',
    HOME: join(folder, name),
  }
  const { environment } = services[name] as { environment: Record<string, string> }
  mkdirSync(join(folder, name), { recursive: true })
  const given = Object.keys(environment).map(variable => [variable, replaced[variable] ?? environment[variable]])
  return { ...Object.fromEntries(given), QUIRE_DATA: join(folder, name, 'data') }
}

async function addSite(): Promise<void> {
  const store = await openPostgres(database.url, { dataFolder: folder, visitorKeyFile: undefined })
  const { organizationId, projectId } = await createOrganization(store)
  headers = { Authorization: `Bearer ${(await createApiKey(store, organizationId)).key}` }
  await store.sites.insert({ domain: 'docs.example.com', projectId, origin: site.url, createdAt: Date.now() })
  await store.close()
}

const addressOf = (name: string) => new URL((servers[name] as ServeProcess).url).host
const isReady = async () => ((await ask('/readyz')).status === 200 ? true : undefined)

function startNginxOfFile(): Promise<() => Promise<void>> {
  const text = readFileSync(join(deployment, 'nginx.conf'), 'utf8')
    .replace(/(api-\d):8080/g, (_, name) => addressOf(name))
    .replace('listen 80;', `listen ${new URL(url).host};`)
    .replace('/var/log/nginx/access.log', join(folder, 'access.log'))
  return startNginx(text, folder, isReady)
}

/** Without TLS, so that the address of the servers is the one that the Compose file gives them. */
function startCaddyOfFile(): Promise<() => Promise<void>> {
  const text = readFileSync(join(deployment, 'Caddyfile'), 'utf8')
    .replace(/(api-\d):8080/g, (_, name) => addressOf(name))
    .replace('{$QUIRE_SITE:api.example.com}', url)
    .replace('/var/log/caddy/quire.log', join(folder, 'access.log'))
  return startCaddy(text, folder, isReady)
}

const ask = (path: string, method = 'GET') => send(url, path, { method, headers })

async function download(link: string): Promise<string> {
  const response = await fetch(link)
  expect(response.status).toBe(200)
  return createHash('sha256')
    .update(Buffer.from(await response.arrayBuffer()))
    .digest('hex')
}

for (const { name, found, start } of proxies) {
  const missing = reason ?? ('missing' in found ? found.missing : undefined)
  const title = `an export runs on a runner, and its bundle comes through ${name}, also when an API server is killed`
  test.skipIf(missing !== undefined)(missing === undefined ? title : `${title}: ${missing}`, async () => {
    servers['api-1'] ??= await startServe([], { env: environmentOf('api-1') })
    endProxy = await start()
    const body = '{"domain":"docs.example.com"}'
    const started = await send(url, '/v1/static-export/jobs', {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body,
    })
    expect(started).toMatchObject({ status: 202, headers: { location: expect.stringContaining(url) } })
    const path = `/v1/static-export/jobs/${started.json.jobId}`
    const job = await waitFor(async () => {
      const { json } = await ask(path)
      return json.status === 'completed' || json.status === 'failed' ? json : undefined
    })
    expect(job).toMatchObject({ status: 'completed', error: null })
    const { json } = await ask(`${path}/bundle`, 'POST')
    const link = String(json.bundleUrl)
    expect(link.startsWith(`${url}/bundles/`)).toBe(true)
    expect(await download(link)).toBe(json.sha256)

    await servers['api-1'].end('SIGKILL')
    delete servers['api-1']
    const statuses = new Set<number>()
    for (let i = 0; i < 20; i += 1) statuses.add((await ask(path)).status)
    expect([...statuses]).toEqual([200])
    expect(await download(link)).toBe(json.sha256)

    // The query of a link is a secret.
    const file = join(folder, 'access.log')
    const logged = readFileSync(file, 'utf8')
    expect(logged).toContain('/bundles/')
    expect(logged).not.toContain('signature')
    rmSync(file)
  })
}
