import type { LookupFunction } from 'node:net'
import type { Pace } from './host-turns.ts'
import type { SiteHeaders } from './site-headers.ts'

/** Limits for requests. */
export interface FetchLimits {
  /** Decompressed bytes of all answers together. */
  totalBytes: number
  /** Redirects followed for one request. */
  redirects: number
  /** Time for one request, including its redirects and body, without its retries. */
  pageTimeoutMs: number
  /** Retries of one request. */
  retries: number
  /** Max concurrent requests to one host. */
  connections: number
}

export interface FetcherOptions {
  /** The origin that may be private or loopback; null = none. */
  exempt: URL | null
  alsoExempt?: readonly URL[]
  limits: FetchLimits
  /** Creates the error that ends the export after more than `limits.totalBytes` were fetched. */
  totalExceeded(): Error
  signal: AbortSignal
  /** Returns the address to fetch. A site may use its domain in links and be fetched from its origin. */
  locate?(url: URL): URL
  /** Redirects to these addresses fail with FetchError 'excluded'. */
  isExcluded?(url: URL): boolean
  /** Headers of every request to this origin. Requests to other hosts, also after a redirect, do not have these headers. */
  siteHeaders?: { origin: string; headers: SiteHeaders }
  /** When requests to a host may begin. Undefined = at once. */
  pace?: Pick<Pace, 'turn' | 'pause'>
  /** For tests. */
  lookup?: LookupFunction
  firstRetryMs?: number
}
