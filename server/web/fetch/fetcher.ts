import type { Answer } from './answer.ts'
import type { FetcherOptions } from './fetcher-options.ts'
import { openGuardedAgent } from './guarded-agent.ts'
import { createHostHealth } from './host-health.ts'
import { openWithRetries } from './open-with-retries.ts'
import type { Validators } from './validators.ts'

export type { Answer } from './answer.ts'
export type { FetcherOptions } from './fetcher-options.ts'
export { userAgent } from './request-once.ts'

export interface Fetcher {
  /** @param unless the server answers 304 without a body if the file still has these validators. */
  open(url: URL, accept?: string, unless?: Validators): Promise<Answer>
  /** Decompressed bytes read so far. */
  readonly totalBytes: number
  close(): Promise<void>
}

/**
 * Opens an export's only access to the network. The fetcher checks every address, follows redirects, enforces the limits,
 * and repeats requests whose failure may pass.
 */
export function openFetcher(options: FetcherOptions): Fetcher {
  const { exempt, alsoExempt = [], limits, pace, lookup, firstRetryMs } = options
  const agent = openGuardedAgent({
    exempt,
    alsoExempt,
    connections: limits.connections,
    connectTimeoutMs: Math.min(10_000, limits.pageTimeoutMs),
    ...(lookup ? { lookup } : {}),
  })
  const health = createHostHealth({
    ...limits,
    pause: (host, ms) => pace?.pause(host, ms),
    ...(firstRetryMs === undefined ? {} : { firstDelayMs: firstRetryMs }),
  })
  let totalBytes = 0

  function countBytes(bytes: number): void {
    totalBytes += bytes
    if (totalBytes > limits.totalBytes) throw options.totalExceeded()
  }

  const tools = { ...options, agent, health, countBytes }
  return {
    open: (url, accept = '*/*', unless) => openWithRetries(tools, { url, accept, unless }),
    get totalBytes() {
      return totalBytes
    },
    close: () => agent.destroy(),
  }
}
