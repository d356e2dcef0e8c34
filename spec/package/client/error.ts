interface Details {
  /** Undefined if no whole answer arrived. */
  status?: number | undefined
  /** The body of the answer: the parsed JSON, or the text. */
  body?: unknown
  requestId?: string | undefined
  retryAfterMs?: number | undefined
}

/**
 * An operation got no answer, or an answer that the document does not list, or one that ends what the caller waits for.
 *
 * It has no `cause` and no request, because both may hold the API key.
 */
export class QuireError extends Error {
  override readonly name = 'QuireError'
  /** The operationId; undefined for a download. */
  readonly operation: string | undefined
  readonly status: number | undefined
  readonly body: unknown
  /** Identifies the request in the log of the server. */
  readonly requestId: string | undefined
  /** The time in milliseconds that the server asks to wait before the next request. */
  readonly retryAfterMs: number | undefined

  constructor(operation: string | undefined, problem: string, { status, body, requestId, retryAfterMs }: Details = {}) {
    const subject = operation === undefined ? problem : `${operation}: ${problem}`
    super(requestId === undefined ? subject : `${subject} (request id ${requestId})`)
    this.operation = operation
    this.status = status
    this.body = body
    this.requestId = requestId
    this.retryAfterMs = retryAfterMs
  }
}

export function describeWrongBody(status: number): string {
  return `the answer ${status} does not have the body that the API documents.`
}

/** Describes an error that `fetch` threw. The innermost message says most: "connect ECONNREFUSED 127.0.0.1:8787". */
export function describeCause(error: unknown): string {
  const inner = error instanceof Error ? error.cause : undefined
  if (inner instanceof Error && inner.message !== '') return describeCause(inner)
  return error instanceof Error && error.message !== '' ? error.message : 'no reason was given'
}
