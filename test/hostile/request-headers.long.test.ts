import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStore } from '../../server/store/store.ts'
import { startHost } from '../host/host-process.ts'
import { makeSite } from '../host/make-site.ts'
import { send } from '../support/client.ts'
import { addCompletedJob } from '../support/completed-job.ts'
import { startServe } from '../support/process.ts'
import type { RunningProgram } from '../support/program.ts'
import { createApiKey, createOrganization } from '../support/server.ts'

/**
 * Of the main thread: for this time, all other clients wait. The time until the answer also says how busy the machine is, so it is
 * no measure.
 */
const maxCpuMs = 50
/** The garbage collector, or a first request, may take longer once. */
const attempts = 4
/** A server that needs longer is not waited for: some patterns would take hours. */
const patienceMs = 20_000
const headBytes = 16 * 1024
const origin = 'https://app.example.com'

const names = [
  ...['Accept', 'Accept-Charset', 'Accept-Encoding', 'Accept-Language', 'Access-Control-Request-Headers'],
  ...['Authorization', 'Cache-Control', 'Content-Encoding', 'Content-Type', 'Cookie', 'Expect', 'Forwarded', 'Host'],
  ...['Idempotency-Key', 'If-Match', 'If-Modified-Since', 'If-None-Match', 'If-Range', 'If-Unmodified-Since'],
  ...['Origin', 'Prefer', 'Range', 'Referer', 'Sec-Fetch-Site', 'TE', 'Upgrade-Insecure-Requests', 'User-Agent'],
  ...['X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Port', 'X-Forwarded-Prefix', 'X-Forwarded-Proto'],
  'X-Request-Id',
]

/** Texts that patterns with several repetitions read slowly. Node removes white space at both ends. */
const patterns: Record<string, (length: number) => string> = {
  tabs: length => `a${'\t'.repeat(length - 2)}a`,
  spaces: length => `a${' '.repeat(length - 2)}a`,
  commas: length => ','.repeat(length),
  semicolons: length => ';'.repeat(length),
  'a range of tabs': length => `bytes=${'\t'.repeat(length / 2 - 5)}-${'\t'.repeat(length / 2 - 5)}-x`,
  ranges: length => `bytes=${'0-0,'.repeat((length - 6) / 4)}`,
  quotes: length => '"'.repeat(length),
  pairs: length => 'a='.repeat(length / 2),
  weights: length => `a;${'q=0.'.repeat((length - 2) / 4)}`,
  backslashes: length => `a="${'\\'.repeat(length - 3)}`,
  parentheses: length => '('.repeat(length),
  digits: length => '1'.repeat(length),
  'weights without names': length => ';q='.repeat(length / 3),
  'high bytes': length => '\xff'.repeat(length),
}

interface Target {
  /** Of the server. */
  pid: number
  url: string
  method?: string
  path: string
  /** The usual headers of a request, as the first request of each target sends them. */
  headers?: Record<string, string>
  body?: string
  /** The status of a usual request. */
  status: number
}

const folder = mkdtempSync(join(tmpdir(), 'quire-request-headers-'))
const programs: RunningProgram[] = []
let targets: Record<string, Target[]>

beforeAll(async () => {
  const data = join(folder, 'data')
  const store = openStore(data)
  // The budget of an organization is 100 requests, and a visitor query is sent with each header and pattern.
  const tenants = []
  for (let i = 0; i < 6; i++) {
    const { organizationId, projectId } = await createOrganization(store)
    const { key } = await createApiKey(store, organizationId)
    tenants.push({ organizationId, projectId, authorization: `Bearer ${key}` })
  }
  const [{ organizationId, authorization }] = tenants as [(typeof tenants)[0]]
  const { jobId } = await addCompletedJob(store, data, organizationId, undefined, 'bundle'.repeat(1000))
  store.close()
  const open = ['--trusted-proxies', '127.0.0.1', '--cors-origin', origin]
  const server = await startServe(['--data', data, ...open])
  programs.push(server)
  writeFileSync(join(folder, 'docs.zip'), makeSite({ version: 'v1' }))
  const accessLog = join(folder, 'access.log')
  const host = await startHost([
    ...[join(folder, 'docs.zip'), '--data', join(folder, 'host'), '--access-log', accessLog],
    ...open,
  ])
  programs.push(host)
  await host.read(output => output.includes('"msg":"serving a version"'))

  const headers = { Authorization: authorization }
  const bundle = `/v1/static-export/jobs/${jobId}/bundle`
  const link = new URL(String((await send(server.url, bundle, { method: 'POST', headers })).json.bundleUrl))
  const { url } = server
  const pid = server.child.pid as number
  const hostPid = host.child.pid as number
  const json = { ...headers, 'Content-Type': 'application/json' }
  const preflight = { Origin: origin, 'Access-Control-Request-Method': 'GET' }
  targets = {
    API: [
      { pid, url, path: `/v1/static-export/jobs/${jobId}`, headers, status: 200 },
      { pid, url, path: `/v1/static-export/jobs/${jobId}`, method: 'OPTIONS', headers: preflight, status: 204 },
      { pid, url, path: '/v1/static-export/jobs', method: 'POST', headers: json, body: '{}', status: 400 },
    ],
    visitors: tenants.map(({ projectId, authorization }) => ({
      pid,
      url,
      path: `/v1/analytics/${projectId}/visitors`,
      headers: { Authorization: authorization, Accept: 'text/csv', 'If-None-Match': '"none"' },
      status: 200,
    })),
    dashboard: [
      { pid, url, path: '/dashboard/', status: 303 },
      { pid, url, path: '/dashboard/sign-in', status: 200 },
      {
        pid,
        url,
        path: '/dashboard/sign-in',
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: 'token=x',
        status: 403,
      },
    ],
    documentation: [
      { pid, url, path: '/docs/', status: 200 },
      { pid, url, path: '/openapi.json', status: 200 },
    ],
    'bundle links': [{ pid, url, path: link.pathname + link.search, headers: { Range: 'bytes=0-1' }, status: 206 }],
    host: [
      { pid: hostPid, url: host.url, path: '/', headers: { 'Accept-Encoding': 'br' }, status: 200 },
      { pid: hostPid, url: host.url, path: '/style.css', headers: { Range: 'bytes=0-1' }, status: 206 },
      { pid: hostPid, url: host.url, path: '/none', status: 404 },
    ],
  }
})
afterAll(async () => {
  // One that is busy for hours cannot end by itself.
  for (const program of programs) await program.end('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

test.each(['API', 'visitors', 'dashboard', 'documentation', 'bundle links', 'host'])(
  '%s: no header of 16 KB keeps the server from answering others',
  async kind => {
    const found = targets[kind] as Target[]
    for (const target of found) expect(await ask(target, target.headers ?? {})).toBe(target.status)
    const slow: string[] = []
    const isSame = kind === 'visitors'
    let sent = 0
    for (const name of names) {
      for (const [pattern, write] of Object.entries(patterns)) {
        sent += 1
        for (const target of isSame ? [found[sent % found.length] as Target] : found) {
          const ms = await measure(target, name, write)
          const { method = 'GET', path } = target
          if (ms > maxCpuMs) slow.push(`${name}: ${pattern}, ${method} ${path}: ${Math.round(ms)} ms`)
        }
      }
    }
    expect(slow).toEqual([])
  },
)

/** Returns the shortest time of a few that the server works on a request just within the limit. */
async function measure(target: Target, name: string, write: (length: number) => string): Promise<number> {
  const { path, headers = {} } = target
  const others = Object.entries({ Host: 'localhost', Connection: 'close', 'Content-Length': '10', ...headers })
  const taken = path.length + others.reduce((sum, [name, value]) => sum + name.length + value.length, 0)
  const value = write(headBytes - taken - name.length - 50)
  let shortest = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < attempts && shortest > maxCpuMs; attempt++) {
    const before = readCpuMs(target.pid)
    const status = await ask(target, { ...headers, [name]: value })
    if (status === 0)
      throw new Error(`${name} has kept the server busy for ${patienceMs} ms: ${JSON.stringify(value.slice(0, 20))}`)
    if (!isAnswer(status)) throw new Error(`${name}: status ${status} of ${path}`)
    shortest = Math.min(shortest, readCpuMs(target.pid) - before)
  }
  return shortest
}

/** Returns how long the main thread of a process has run. Linux. */
function readCpuMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
}

/** Whether a request was read, and no fault happened. */
function isAnswer(status: number): boolean {
  return status >= 200 && status < 500 && status !== 431
}

/**
 * Sends a request on a connection of its own, and returns the status of its answer; 0 = none came within `patienceMs`. Headers of
 * the same name replace the usual ones.
 */
function ask({ url, method = 'GET', path, body = '' }: Target, given: Record<string, string>): Promise<number> {
  const { hostname, port } = new URL(url)
  const length: Record<string, string> = body === '' ? {} : { 'Content-Length': String(body.length) }
  const headers = { Host: 'localhost', Connection: 'close', ...length, ...given }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return new Promise((done, failed) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`, 'latin1'))
    })
    socket.once('data', chunk => {
      done(Number(chunk.toString('latin1').slice(9, 12)))
      socket.resume()
    })
    socket.setTimeout(patienceMs, () => {
      done(0)
      socket.destroy()
    })
    socket.on('error', failed)
    socket.on('close', () => failed(new Error(`no answer to ${method} ${path}`)))
  })
}
