import type { ErrorCode, FaultCode } from '../../generated/error-codes.ts'
import { type DeliveryRefusal, DeliveryRefusedError } from '../analytics/import/delivery.ts'

/** One thing that is wrong with a request. */
export interface Fault {
  /** A sentence for people. */
  message: string
  /** The field, parameter or header; undefined if no single one is wrong. */
  field?: string
  code?: FaultCode
}

/** An expected error; its message is sent to the client unchanged. */
export class HttpError extends Error {
  readonly status: number
  readonly code: ErrorCode
  readonly headers: Record<string, string>
  readonly faults: readonly Fault[] | undefined
  /** @param faults of a request that breaks the document */
  constructor(
    status: number,
    code: ErrorCode,
    message: string,
    headers: Record<string, string> = {},
    faults?: readonly Fault[],
  ) {
    super(message)
    this.status = status
    this.code = code
    this.headers = headers
    this.faults = faults
  }
}

export const serverFault =
  'Internal server error. Try again later, or quote the X-Request-Id of this answer to the operator of the server.'

/** The refusal of a body over the limit. */
export const bodyTooLarge = new HttpError(
  413,
  'body_too_large',
  'The request body is too large. Name fewer paths in one export.',
)

/** The refusal of a body that is not JSON text. */
export const malformedJson = new HttpError(400, 'malformed_json', 'The request body is not valid JSON.')

/** The refusal of a path that cannot be decoded. */
export const malformedPath = new HttpError(
  400,
  'malformed_path',
  'The path contains an invalid percent escape. Write a percent sign as %25.',
)

const deliveryRefusals = {
  'unsupported-encoding': [415, 'unsupported_media_type'],
  'too-large': [413, 'body_too_large'],
  'no-project': [404, 'unknown_project'],
  'no-site': [400, 'no_site'],
  'wrong-settings': [400, 'invalid_request'],
  damaged: [400, 'malformed_body'],
} as const satisfies Record<DeliveryRefusal, [number, ErrorCode]>

/** Converts whatever a handler throws. What nobody expected becomes a 500 with a fixed sentence. */
export function toKnownError(thrown: unknown): HttpError {
  if (thrown instanceof HttpError) return thrown
  return toRequestError(thrown) ?? new HttpError(500, 'internal_error', serverFault)
}

/** Converts the errors of a request that cannot be read: its path, its encoding, its body or its log lines. */
export function toRequestError(thrown: unknown): HttpError | undefined {
  if (thrown instanceof DeliveryRefusedError) {
    const [status, code] = deliveryRefusals[thrown.refusal]
    return new HttpError(status, code, thrown.message)
  }
  if (thrown instanceof URIError) {
    return malformedPath
  }
  const { type, code } = thrown as { type?: string; code?: string }
  if (/^(Z_|ERR_BROTLI|ERR__ERROR|ERR_ZSTD|ZSTD_)/.test(code ?? '')) {
    return new HttpError(400, 'malformed_body', 'The request body does not match its Content-Encoding.')
  }
  return bodyErrors(type)
}

/** Converts errors of express.json; the readme of body-parser lists their types. */
function bodyErrors(type: string | undefined): HttpError | undefined {
  switch (type) {
    case 'entity.parse.failed':
      return malformedJson
    case 'entity.verify.failed':
    case 'request.aborted':
    case 'request.size.invalid':
      return new HttpError(
        400,
        'malformed_body',
        'The request body does not have the announced length. Check Content-Length.',
      )
    case 'entity.too.large':
      return bodyTooLarge
    case 'encoding.unsupported':
      return new HttpError(
        415,
        'unsupported_media_type',
        'The Content-Encoding of the request body is not supported. Send it without one, or as gzip.',
      )
    case 'charset.unsupported':
      return new HttpError(415, 'unsupported_media_type', 'The request body must be UTF-8.')
    default:
      return undefined
  }
}
