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

/** One request failed for good; the message names the reason without the address book of the network behind it. */
export class FetchError extends Error {
  readonly code: FetchErrorCode
  /** The address that failed, when redirects had led there; undefined when it is the one that was asked for. */
  leadTo?: URL
  constructor(code: FetchErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'FetchError'
    this.code = code
  }
}

export function toFetchError(
  error: unknown,
  url: URL,
  jobSignal: AbortSignal,
  { pageTimeoutMs }: { pageTimeoutMs: number },
): unknown {
  if (error instanceof FetchError || error instanceof OperatorError) return error
  // The end of the whole job is its own error, not one of this request.
  if (jobSignal.aborted) return jobSignal.reason
  const forbidden = error instanceof ForbiddenAddressError ? error : (error as Error)?.cause
  if (forbidden instanceof ForbiddenAddressError) return new FetchError('forbidden', forbidden.message)
  const { name, code, message } = error as NodeJS.ErrnoException
  if (['ENOSPC', 'EDQUOT', 'EROFS', 'EMFILE', 'EACCES'].includes(code ?? '')) return error
  if (name === 'TimeoutError' || name === 'AbortError' || /TIMEOUT/.test(code ?? '')) {
    return new FetchError(
      'timeout',
      `${url.host} did not answer within the limit of ${Math.ceil(pageTimeoutMs / 1000)} seconds`,
    )
  }
  if (code?.startsWith('Z_') || code?.startsWith('ERR__') || /zstd|brotli|zlib/i.test(code ?? '')) {
    return new FetchError('encoding', 'the compressed answer is damaged')
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return new FetchError('network', `no address is known for ${url.hostname}`, { cause: error })
  const certificate = explainCertificate(code ?? '', url)
  if (certificate) return new FetchError('certificate', certificate, { cause: error })
  if (code === 'ECONNREFUSED') return new FetchError('network', `nothing answers at ${url.host}`)
  return new FetchError('network', `the connection to ${url.host} failed (${code ?? message})`, { cause: error })
}

/** Why a certificate is refused; null when the error is another one. The codes are those of OpenSSL and of Node's check of names. */
function explainCertificate(code: string, { hostname }: URL): string | null {
  if (code === 'CERT_HAS_EXPIRED') return `the certificate of ${hostname} has expired`
  if (code === 'CERT_NOT_YET_VALID') return `the certificate of ${hostname} is not valid yet`
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `the certificate there is not for ${hostname}`
  if (!/^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(VERIFY|GET_ISSUER)_\w+)$/.test(code))
    return null
  return `the certificate of ${hostname} is of an authority that is not known here; name its PEM file in NODE_EXTRA_CA_CERTS`
}

/** A name that does not exist will not exist in a second, either. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof FetchError) || error.code !== 'network') return false
  return (error.cause as NodeJS.ErrnoException | undefined)?.code !== 'ENOTFOUND'
}
