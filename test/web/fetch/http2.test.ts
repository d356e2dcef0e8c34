import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from 'node:http2'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import tls from 'node:tls'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { defaultLimits, totalExceeded } from '../../../server/export/model/limits.ts'
import { type Fetcher, openFetcher } from '../../../server/web/fetch/fetcher.ts'
import { createPace } from '../../../server/web/fetch/host-turns.ts'

const pem = (name: string) =>
  readFileSync(join(import.meta.dirname, '../../export/fixtures/tls', `${name}.pem`), 'utf8')
const identity = { key: pem('key'), cert: pem('certificate') }
const before = tls.getCACertificates('default')
beforeAll(() => tls.setDefaultCACertificates([...before, identity.cert]))
afterAll(() => tls.setDefaultCACertificates(before))

const opened: { close(): unknown }[] = []
afterEach(async () => {
  for (const item of opened.splice(0)) await item.close()
})

interface Seen {
  versions: Set<string>
  connections: number
  /** Ends all connections. */
  reset(): void
}

/** Starts a server that offers HTTP/2, and a fetcher for it. */
async function start(answer: (request: Http2ServerRequest, response: Http2ServerResponse) => void) {
  const sockets = new Set<tls.TLSSocket>()
  const reset = () => {
    for (const socket of sockets) socket.destroy()
  }
  const seen: Seen = { versions: new Set(), connections: 0, reset }
  const server: Http2SecureServer = createSecureServer({ ...identity, allowHTTP1: true }, (request, response) => {
    seen.versions.add(request.httpVersion)
    response.stream?.on('error', () => {})
    answer(request, response)
  })
  server
    .on('sessionError', () => {})
    .on('secureConnection', socket => {
      seen.connections += 1
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  opened.push({
    close() {
      reset()
      server.close()
    },
  })
  const origin = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  return { seen, origin, fetcher: openFor(origin) }
}

function openFor(origin: URL, exempt: URL | null = origin): Fetcher {
  const fetcher = openFetcher({
    exempt,
    limits: defaultLimits,
    totalExceeded: () => totalExceeded(defaultLimits),
    signal: new AbortController().signal,
    pace: createPace({ maxRequests: () => 64, exports: () => 1 }),
    firstRetryMs: 1,
  })
  opened.push(fetcher)
  return fetcher
}

async function get(fetcher: Fetcher, url: URL): Promise<string> {
  const answer = await fetcher.open(url)
  return `${answer.status} ${(await answer.read(1e7)).toString()}`
}

const plain = { 'content-type': 'text/plain' }

test('requests to a server that offers HTTP/2 share a connection', async () => {
  const { seen, origin, fetcher } = await start((request, response) => {
    setTimeout(() => response.writeHead(200, plain).end(request.url.repeat(1000)), 20)
  })
  const paths = Array.from({ length: 100 }, (_, index) => `/p${index}`)
  const answers = await Promise.all(paths.map(path => get(fetcher, new URL(path, origin))))
  expect(answers).toEqual(paths.map(path => `200 ${path.repeat(1000)}`))
  expect([...seen.versions]).toEqual(['2.0'])
  expect(seen.connections).toBeLessThan(4)
})

test('a server without HTTP/2 is asked by HTTP/1.1', async () => {
  const server = createServer(identity, (request, response) => response.writeHead(200, plain).end(request.httpVersion))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  opened.push({ close: () => void server.close() })
  const origin = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  expect(await get(openFor(origin), origin)).toBe('200 1.1')
})

describe('an answer that is cut is requested again', () => {
  const text = 'the whole text, '.repeat(1000)
  const cuts: [string, (response: Http2ServerResponse, seen: Seen) => void][] = [
    ['a stream that is cancelled', response => response.stream.close(8)],
    ['a stream that ends before its Content-Length', response => response.end()],
    ['a connection that breaks', (_, seen) => seen.reset()],
  ]
  test.each(cuts)('%s', async (_, cut) => {
    let left = 2
    const { seen, origin, fetcher } = await start((request, response) => {
      left -= request.url === '/cut' ? 1 : 0
      if (request.url !== '/cut' || left < 0) return void response.writeHead(200, plain).end(text)
      response.writeHead(200, { ...plain, 'content-length': text.length }).write(text.slice(0, 99))
      setTimeout(() => cut(response, seen), 10)
    })
    expect(await get(fetcher, origin)).toBe(`200 ${text}`)
    expect(await get(fetcher, new URL('/cut', origin))).toBe(`200 ${text}`)
    expect(left).toBe(-1)
  })
})

test('an address that is not public is refused', async () => {
  const { seen, origin } = await start((_, response) => void response.end('x'))
  await expect(openFor(origin, null).open(origin)).rejects.toMatchObject({ code: 'forbidden' })
  expect(seen.connections).toBe(0)
})
