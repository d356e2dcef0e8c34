import { OperatorError } from '../../base/operator-error.ts'
import { ForbiddenAddressError } from './address.ts'

export type FetchErrorCode =
  | 'certificate'
  | 'encoding'
  | 'excluded'
  | 'forbidden'
  | 'network'
  | 'redirects'
  | 'timeout'
  | 'too_large'
  | 'url'

/**
 * Thrown when a request failed after all retries. The message gives the reason, without the addresses that a host resolves to.
 */
export class FetchError extends Error {
  readonly code: FetchErrorCode
  /** The address that failed, if it differs from the requested address. */
  redirectedTo?: URL
  /** Whether the answer began and its body ended early. */
  isCut = false
  /** What the server answered; undefined = no answer, or a success. */
  status?: number
  /** Whether a retry was already ruled out. */
  isFinal = false
  constructor(code: FetchErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'FetchError'
    this.code = code
  }
}

/** System errors of this machine, not of a site. They end the export. */
const localFailures = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EMFILE', 'EACCES'])

/**
 * Converts an error of a request into a FetchError. Returns errors for the operator, errors of this machine and the reason
 * of an aborted job unchanged.
 */
export function toFetchError(
  error: unknown,
  url: URL,
  jobSignal: AbortSignal,
  { pageTimeoutMs }: { pageTimeoutMs: number },
): unknown {
  if (error instanceof FetchError || error instanceof OperatorError) return error
  if (jobSignal.aborted) return jobSignal.reason
  const forbidden = error instanceof ForbiddenAddressError ? error : (error as Error)?.cause
  if (forbidden instanceof ForbiddenAddressError) return new FetchError('forbidden', forbidden.message)
  const { name, code = '', message } = error as NodeJS.ErrnoException
  if (localFailures.has(code)) return error
  if (name === 'TimeoutError' || name === 'AbortError' || /TIMEOUT/.test(code)) {
    const seconds = Math.ceil(pageTimeoutMs / 1000)
    return new FetchError('timeout', `${url.host} did not answer within the limit of ${seconds} seconds`)
  }
  if (code === 'Z_BUF_ERROR') return cutShort(url, error)
  if (/^(Z_|ERR__)|zstd|brotli|zlib/i.test(code)) return new FetchError('encoding', 'the compressed answer is damaged')
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return headersTooLarge(url, error)
  const certificate = explainCertificate(code, url)
  if (certificate) return new FetchError('certificate', certificate, { cause: error })
  return new FetchError('network', explainConnection(code || message, url), { cause: error })
}

/**
 * Explains a certificate error. The codes come from OpenSSL and from Node's check of host names. Returns null for other
 * errors.
 */
function explainCertificate(code: string, { hostname }: URL): string | null {
  if (code === 'CERT_HAS_EXPIRED') return `the certificate of ${hostname} has expired`
  if (code === 'CERT_NOT_YET_VALID') return `the certificate of ${hostname} is not valid yet`
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `the server's certificate is not for ${hostname}`
  if (!/^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(VERIFY|GET_ISSUER)_\w+)$/.test(code))
    return null
  return `the certificate of ${hostname} has no known certificate authority; set NODE_EXTRA_CA_CERTS to the PEM file of the authority`
}

function explainConnection(code: string, { host, hostname }: URL): string {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `the name ${hostname} cannot be resolved`
  if (code === 'ECONNREFUSED') return `no server listens at ${host}`
  return `the connection to ${host} failed (${code})`
}

/** A retry would get the same headers. */
function headersTooLarge({ host }: URL, cause: unknown): FetchError {
  const error = new FetchError('network', `the headers of the answer of ${host} are larger than 16 KB`, { cause })
  error.isFinal = true
  return error
}

/** Returns the error for a connection that fails while a body is read. Other errors are returned unchanged. */
export function toBodyError(error: unknown, url: URL): unknown {
  return error instanceof FetchError && error.code === 'network' && !error.isCut ? cutShort(url, error.cause) : error
}

function cutShort({ host }: URL, cause: unknown): FetchError {
  const error = new FetchError('network', `the answer of ${host} ended early`, { cause })
  error.isCut = true
  return error
}

/**
 * A failure that may pass.
 * - `busy`: the server asks for fewer requests, or for a wait (429, Retry-After)
 * - `gateway`: the server behind a proxy does not work now (502, 503, 504, 408)
 * - `connection`: the server does not answer
 * - `passing`: only this answer failed (500, a body that was cut)
 */
export type FailureKind = 'busy' | 'gateway' | 'connection' | 'passing'

const gatewayStatuses = new Set([408, 502, 503, 504])
/** The server will never support the method or the version of HTTP (RFC 9110, 15.6.2 and 15.6.6). */
const lastingStatuses = new Set([501, 505])

/** Returns the kind of a failed answer; null if the answer is no failure, or will stay as it is. */
export function kindOfStatus(status: number, retryAfterMs: number | null): FailureKind | null {
  if (status === 429) return 'busy'
  if (status !== 408 && (status < 500 || status > 599 || lastingStatuses.has(status))) return null
  if (retryAfterMs !== null) return 'busy'
  return gatewayStatuses.has(status) ? 'gateway' : 'passing'
}

/** Returns the kind of an error; null if a retry cannot help. An unknown host name does not become known within seconds. */
export function kindOfError(error: unknown): FailureKind | null {
  if (!(error instanceof FetchError) || error.isFinal) return null
  if (error.isCut) return 'passing'
  if (error.code === 'timeout') return 'connection'
  const isUnknownName = (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ENOTFOUND'
  return error.code === 'network' && !isUnknownName ? 'connection' : null
}

/** Max wait for one Retry-After. */
export const maxRetryAfterMs = 60_000

/**
 * Reads a Retry-After header: seconds or a date (RFC 9110, 10.2.3).
 *
 * @returns milliseconds, at most `maxMs`; null without a readable value.
 */
export function readRetryAfter(value: string | undefined, nowMs: number, maxMs = maxRetryAfterMs): number | null {
  const text = value?.trim() ?? ''
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : readDate(text) - nowMs
  return Number.isNaN(waitMs) ? null : Math.min(Math.max(0, waitMs), maxMs)
}

/** Reads a date of HTTP, which always names GMT. `Date.parse` also reads many texts that are no date. */
function readDate(text: string): number {
  return /^[A-Za-z]{3,9},? .{5,40}$/.test(text) ? Date.parse(/GMT$/.test(text) ? text : `${text} GMT`) : Number.NaN
}

const growth = 3
const longestDelayMs = 15_000

/**
 * Returns the wait before a retry. It grows with each retry. Half of it is random, so that requests that failed together are
 * not sent together again.
 *
 * @param retry 0 for the first retry.
 * @param random from 0 to 1.
 */
export function backoffMs(retry: number, firstMs: number, random: number): number {
  return Math.min(firstMs * growth ** retry, longestDelayMs) * (0.5 + random / 2)
}
