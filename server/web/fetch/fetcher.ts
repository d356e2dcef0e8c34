import type { LookupFunction } from 'node:net'
import type { Answer, Validators } from './answer.ts'
import { openGuardedAgent, type RequestOptions } from './request.ts'
import { createHostHealth, openWithRetries } from './retries.ts'

export type { Answer } from './answer.ts'
export { userAgent } from './request.ts'

export interface Fetcher {
  /** @param unless the server answers 304 without a body if the file still has these validators. */
  open(url: URL, accept?: string, unless?: Validators): Promise<Answer>
  /** Decompressed bytes read so far. */
  readonly totalBytes: number
  close(): Promise<void>
}

export interface FetcherOptions extends RequestOptions {
  /** The origin that may be private or loopback; null = none. */
  exempt: URL | null
  alsoExempt?: readonly URL[]
  /** Creates the error that ends the export after more than `limits.totalBytes` were fetched. */
  totalExceeded(): Error
  /** For tests. */
  lookup?: LookupFunction
  firstRetryMs?: number
}

/**
 * Opens an export's only access to the network. The fetcher checks every address, follows redirects, enforces the limits,
 * and repeats requests whose failure may pass.
 */
export function openFetcher(options: FetcherOptions): Fetcher {
  const { exempt, alsoExempt = [], limits, pace, lookup, firstRetryMs } = options
  const agent = openGuardedAgent([...(exempt ? [exempt] : []), ...alsoExempt], limits, lookup)
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
