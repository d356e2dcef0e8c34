/** A request, exactly as it is sent; Host and the length of the body are added. */
export interface Request {
  method: string
  /** Path and query, undecoded, below the base URL. */
  target: string
  headers: Readonly<Record<string, string>>
  body?: string
}

export interface Answer {
  status: number
  /** By name in lower case. */
  headers: Readonly<Record<string, string>>
  body: Uint8Array
}

/** Sends a request. Throws `ExchangeError` if there is no complete answer. */
export type Send = (request: Request, options?: SendOptions) => Promise<Answer>

export interface SendOptions {
  /** An http or https URL instead of the base URL; the target is ignored. */
  url?: string
}

/** No complete answer: a sentence that says why. */
export class ExchangeError extends Error {
  override readonly name = 'ExchangeError'
  /** The `X-Request-Id` of an answer that broke off. */
  readonly requestId: string | undefined

  constructor(message: string, requestId?: string) {
    super(message)
    this.requestId = requestId
  }
}

/** Returns the body as text. */
export function readText({ body }: Answer): string {
  return new TextDecoder().decode(body)
}

/** Returns the parsed body; undefined if it is not JSON. */
export function readJson({ body }: Answer): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    return undefined
  }
}

/** Returns the media type of an answer, in lower case and without parameters. */
export function readMediaType({ headers }: Answer): string {
  return (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
}

/** Returns the body of an error without the id of its request, by which alone equal refusals may differ. */
export function readRefusal(answer: Answer): string {
  const body = readJson(answer)
  const isObject = typeof body === 'object' && body !== null
  return isObject ? JSON.stringify({ ...body, requestId: undefined }) : readText(answer)
}
