import type { Response } from 'express'
import type { Route } from '../../generated/operations.ts'

/** An expected error; its message is sent to the client unchanged. */
export class HttpError extends Error {
  readonly status: number
  readonly headers: Record<string, string>
  /** One sentence per field if several are invalid. */
  readonly details: string[]
  constructor(status: number, message: string, headers: Record<string, string> = {}, details: string[] = [message]) {
    super(message)
    this.status = status
    this.headers = headers
    this.details = details
  }
}

export const serverFault =
  'Internal server error. Try again later, or quote the X-Request-Id of this answer to the operator of the server.'

/** The refusal of a body over the limit. */
export const bodyTooLarge = new HttpError(413, 'The request body is too large. Name fewer paths in one export.')

/** The refusal of a body that is not JSON text. */
export const malformedJson = new HttpError(400, 'The request body is not valid JSON.')

/** The refusal of a path that cannot be decoded. */
export const malformedPath = new HttpError(
  400,
  'The path contains an invalid percent escape. Write a percent sign as %25.',
)

/** Returns the error body that the document specifies for the operation. */
export function toErrorBody({ message, details }: HttpError, route: Route | undefined): object {
  return route?.errorShape === 'error-with-details'
    ? { error: message, details: details.map(detail => ({ message: detail })) }
    : { error: message }
}

/** Converts the errors of a request that cannot be read: its path, its encoding or its body. */
export function toRequestError(thrown: unknown): HttpError | undefined {
  if (thrown instanceof URIError) {
    return malformedPath
  }
  const { type, code } = thrown as { type?: string; code?: string }
  if (/^(Z_|ERR_BROTLI|ERR__ERROR|ERR_ZSTD|ZSTD_)/.test(code ?? '')) {
    return new HttpError(400, 'The request body does not match its Content-Encoding.')
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
      return new HttpError(400, 'The request body does not have the announced length. Check Content-Length.')
    case 'entity.too.large':
      return bodyTooLarge
    case 'encoding.unsupported':
      return new HttpError(
        415,
        'The Content-Encoding of the request body is not supported. Send it without one, or as gzip.',
      )
    case 'charset.unsupported':
      return new HttpError(415, 'The request body must be UTF-8.')
    default:
      return undefined
  }
}

/** Sends the error body that the document specifies for the operation. */
export function sendError(res: Response, error: HttpError, route: Route | undefined): void {
  res.status(error.status).set(error.headers).json(toErrorBody(error, route))
}
