import { OperatorError } from '../../base/operator-error.ts'
import { ForbiddenAddressError } from './guarded-agent.ts'

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

/** Returns the error for a connection that fails while a body is read. Other errors are returned unchanged. */
export function toBodyError(error: unknown, url: URL): unknown {
  return error instanceof FetchError && error.code === 'network' && !error.isCut ? cutShort(url, error.cause) : error
}

function cutShort({ host }: URL, cause: unknown): FetchError {
  const error = new FetchError('network', `the answer of ${host} ended early`, { cause })
  error.isCut = true
  return error
}
