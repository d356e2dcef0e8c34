import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { waitFor } from '../support/export-site.ts'
import { sendRaw } from '../support/raw-request.ts'
import { type HostProcess, startHost } from './host-process.ts'
import { makeSite } from './make-site.ts'

let folder: string
let host: HostProcess
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-host-refusals-'))
  writeFileSync(join(folder, 'docs.zip'), makeSite({ version: 'v1' }))
  const flags = ['--data', join(folder, 'host'), '--access-log', join(folder, 'access.log')]
  host = await startHost([join(folder, 'docs.zip'), ...flags])
  await host.read(output => output.includes('"msg":"serving a version"'))
})
afterAll(async () => {
  expect(await host.end('SIGTERM')).toBe(0)
  rmSync(folder, { recursive: true, force: true })
})

const end = 'Connection: close\r\n\r\n'

test.each([
  ['a header of 16 KB', `GET / HTTP/1.1\r\nHost: a\r\nX-A: ${'a'.repeat(16_384)}\r\n${end}`, 431],
  ['101 headers', `GET /a HTTP/1.1\r\nHost: a\r\n${'X-A: a\r\n'.repeat(99)}${end}`, 431],
  ['bytes that are not HTTP', '\x16\x03\x01\x02\x00\x01', 400],
  ['CONNECT', `CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n`, 405],
])('%s is refused with a JSON body, a request id and one log line', async (_, bytes, status) => {
  const answer = await sendRaw(host.url, bytes)
  expect([answer.status, JSON.parse(answer.body)]).toMatchObject([
    status,
    { error: expect.any(String), code: expect.any(String) },
  ])
  const requestId = String(answer.headers['x-request-id'])
  const lines = await waitFor(async () => {
    const found = host
      .stdout()
      .split('\n')
      .filter(line => line.includes(requestId))
    return found.length > 0 ? found : undefined
  })
  expect(lines.map(line => JSON.parse(line))).toMatchObject([{ requestId, status }])
})

test.each([
  ['two Host headers', `GET /b HTTP/1.1\r\nHost: a\r\nHost: b\r\n${end}`, 400],
  ['no Host header', `GET /c HTTP/1.1\r\n${end}`, 400],
  ['two Authorization headers', `GET /d HTTP/1.1\r\nHost: a\r\nAuthorization: a\r\nAuthorization: b\r\n${end}`, 400],
  ['an unknown expectation', `GET /e HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\n${end}`, 417],
])('%s is refused, with a line in the access log', async (_, bytes, status) => {
  const answer = await sendRaw(host.url, bytes)
  expect([answer.status, JSON.parse(answer.body)]).toEqual([status, { error: expect.any(String) }])
  const request = bytes.slice(0, bytes.indexOf('\r'))
  // The log is written each second.
  const log = join(folder, 'access.log')
  await waitFor(async () => existsSync(log) && readFileSync(log, 'utf8').includes(`"${request}" ${status} `))
})

test('a request without Host in HTTP/1.0 gets the page', async () => {
  expect(await sendRaw(host.url, 'GET / HTTP/1.0\r\n\r\n')).toMatchObject({ status: 200 })
})
