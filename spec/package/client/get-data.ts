import { describeWrongBody, QuireError } from './error.ts'
import type { DataOf } from './method.ts'
import { growWait, readRetryAfter, sleep } from './retry.ts'

/** What `getData` reads of an answer. */
export interface AnyAnswer {
  status: number
  requestId: string | undefined
  response: Response
  data?: unknown
  error?: unknown
}

const maxAttempts = 5
/** A server may ask for a longer wait. It is asked again after this one. */
const maxWaitMs = 300_000

interface Sending<Answer> {
  send: () => Promise<Answer>
  /** Whether the data has what the caller reads of it. */
  isWhole: (data: DataOf<Answer>) => boolean
  signal: AbortSignal | undefined
}

/**
 * Sends a request until it succeeds, and returns the data. A server that is busy or away is asked five times, after the time
 * in `Retry-After`.
 *
 * @throws {QuireError} for a refusal, for data that is not whole, and after the last attempt
 */
export async function getData<Answer extends AnyAnswer>(
  operation: string,
  { send, isWhole, signal }: Sending<Answer>,
): Promise<DataOf<Answer>> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await send().catch((error: unknown) => {
      if (error instanceof QuireError) return error
      throw error
    })
    if (!(outcome instanceof QuireError) && outcome.data !== undefined) {
      const data = outcome.data as DataOf<Answer>
      if (isWhole(data)) return data
      throw new QuireError(operation, describeWrongBody(outcome.status), { ...outcome, body: data })
    }
    const error = outcome instanceof QuireError ? outcome : toError(operation, outcome)
    if (attempt === maxAttempts || !mayPass(error)) throw error
    await sleep(Math.min(error.retryAfterMs ?? growWait(attempt), maxWaitMs), signal)
  }
}

/** Returns the error of a documented refusal. */
export function toError(operation: string, { status, requestId, response, error }: AnyAnswer): QuireError {
  const sentence = (error as { error?: unknown } | undefined)?.error
  const problem = typeof sentence === 'string' ? `${status}: ${sentence}` : `the server answered ${status}.`
  return new QuireError(operation, problem, {
    status,
    body: error,
    requestId,
    retryAfterMs: readRetryAfter(response.headers),
  })
}

/** Whether the error may pass by waiting: there was no whole answer, or the server or a proxy is busy. */
function mayPass({ status }: QuireError): boolean {
  return status === undefined || [429, 500, 502, 503, 504].includes(status)
}
