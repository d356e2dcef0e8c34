import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

/** What became of the requests of a load. */
export interface LoadResult {
  /** Answers by status. */
  statuses: Record<number, number>
  /** Requests that were refused because no server listened. */
  refused: number
  /** Requests whose connection ended without a complete answer, by error. */
  broken: Record<string, number>
  /** Milliseconds until each answer, in the order of the answers. */
  latencies: number[]
}

export interface LoadOptions {
  url: string
  perSecond: number
  /** The requests to send, in turns. */
  requests: readonly { method?: string; path: string; headers?: Record<string, string>; body?: string }[]
  /** Which share of the requests uses connections that are kept open; the others open a new one each. */
  keptShare?: number
}

export interface Load {
  /** Resolves when so many requests are answered. */
  answered(count: number): Promise<void>
  stop(): Promise<LoadResult>
}

/** Connections that are kept open. */
const keptConnections = 32
/**
 * The maximum number of requests that are sent at once after a pause of this process. Fewer would lower the rate: this process
 * pauses for a tenth of a second now and then. More could fill the queue of new connections.
 */
const maxBurst = 150

/**
 * Sends requests at a steady rate until `stop` is called. It does not wait for answers before it sends the next request, as
 * clients that do not know each other.
 */
export function startLoad({ url, perSecond, requests, keptShare = 1 }: LoadOptions): Load {
  const agent = new Agent({ keepAlive: true, maxSockets: keptConnections })
  const result: LoadResult = { statuses: {}, refused: 0, broken: {}, latencies: [] }
  const open = new Set<Promise<void>>()
  const { hostname, port } = new URL(url)
  let sent = 0

  function sendOne(): void {
    const { method = 'GET', path, headers = {}, body } = requests[sent % requests.length] as LoadOptions['requests'][0]
    // Spreads the share evenly.
    const isKept = Math.floor((sent + 1) * keptShare) > Math.floor(sent * keptShare)
    sent += 1
    const sentAt = performance.now()
    const done = new Promise<void>(resolve => {
      const count = (error: NodeJS.ErrnoException) => {
        const name = error.code ?? error.message
        if (name === 'ECONNREFUSED') result.refused += 1
        else result.broken[name] = (result.broken[name] ?? 0) + 1
        resolve()
      }
      const req = request({ hostname, port, method, path, headers, agent: isKept ? agent : false }, res => {
        res.resume()
        res.on('error', count)
        res.on('end', () => {
          const status = res.statusCode ?? 0
          result.statuses[status] = (result.statuses[status] ?? 0) + 1
          result.latencies.push(performance.now() - sentAt)
          resolve()
        })
      })
      req.on('error', count)
      req.end(body)
    }).finally(() => open.delete(done))
    open.add(done)
  }

  let due = 0
  let tickAt = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    due = Math.min(due + ((now - tickAt) / 1000) * perSecond, maxBurst)
    tickAt = now
    for (; due >= 1; due -= 1) sendOne()
  }, 2)
  return {
    async answered(count) {
      while (result.latencies.length < count) await pause(10)
    },
    async stop() {
      clearInterval(timer)
      await Promise.all(open)
      agent.destroy()
      return result
    },
  }
}

/** Returns the value that the given share of the numbers does not exceed. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}
