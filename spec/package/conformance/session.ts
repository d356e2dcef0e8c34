import type { CheckName } from './checks.ts'
import { writeCurl } from './curl.ts'
import { type Answer, ExchangeError, type Request, type Send, type SendOptions } from './exchange.ts'
import { judgeAnswer } from './judge-answer.ts'
import type { Operation, Operations } from './operations.ts'
import type { Failure, Recorder } from './recorder.ts'
import type { Secrets } from './secrets.ts'
import type { Settings } from './settings.ts'

/** A request and its answer. */
export interface Exchange {
  operation: Operation | undefined
  request: Request
  answer: Answer
  /** What the request was sent to instead of the base URL. */
  url: string | undefined
}

/** What a law needs to ask the server and to judge it. */
export interface Session {
  settings: Settings
  operations: Operations
  /** The operations of the second document; empty = they are not checked. */
  extensions: readonly Operation[]
  recorder: Recorder
  secrets: Secrets
  /** Ids and the domain for which the server has something. They are set by the first requests. */
  known: Known
  /** Unique to this run, because Idempotency-Keys count for 24 hours. */
  nonce: string
  /** How often each status was the answer, by operation. */
  statuses: Map<string, Map<number, number>>
  /** The documented responses that were answers, as `operation status mediaType`. */
  reached: Set<string>
  requests: number
  /** Sends a request of an operation with the key, and compares the answer with the document. */
  ask(operation: Operation, request: Ask): Promise<Exchange>
  /** Sends a request that is not of an operation. */
  send(request: Request, options?: SendOptions): Promise<Exchange>
  /** Records whether the answer follows a law. */
  check(check: CheckName, holds: boolean, fault: () => string, exchange: Exchange): void
}

export interface Known {
  project: boolean
  agentJob: boolean
  domain: boolean
  /** A job that can be read; undefined = none. */
  exportJob: string | undefined
  /** Ids by path parameter of what the run created to check the extensions. */
  created: Record<string, string>
  /** Ids of the agent jobs that the run started. */
  startedRuns: string[]
}

/** The parts of a request of an operation. */
export interface Ask {
  /** Values of the path parameters, encoded. Default: ids that the server knows. */
  path?: Readonly<Record<string, string>>
  /** Text after the question mark, encoded. */
  query?: string
  /** An empty value leaves out a header that would be sent otherwise. */
  headers?: Readonly<Record<string, string>>
  /** Sent as JSON, unless it is a text. */
  body?: unknown
  /** Default: the key of the settings; null = none. */
  authorization?: string | null
  /** Replaces the path of the operation. */
  target?: string
}

/** Ends a law early. The check is reported as not done, for this reason; undefined = the reason is recorded already. */
export class LawSkipped extends Error {
  readonly reason: string | undefined

  constructor(reason?: string) {
    super(reason)
    this.reason = reason
  }
}

/** Ends the run, because the server cannot be checked. */
export class RunStopped extends Error {
  override readonly name = 'RunStopped'
}

/** After so many requests in succession without an answer, further ones would only take time. */
const maxSilent = 3

interface Parts {
  settings: Settings
  operations: Operations
  extensions: readonly Operation[]
  recorder: Recorder
  secrets: Secrets
  send: Send
  nonce: string
}

export function createSession({ send, ...parts }: Parts): Session {
  const { recorder } = parts
  let silent = 0
  const transmit = async (operation: Operation | undefined, request: Request, options?: SendOptions) => {
    session.requests++
    try {
      const answer = await send(request, options)
      silent = 0
      recorder.pass('response_completeness')
      return { operation, request, answer, url: options?.url }
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw error
      silent++
      const failure = describe(session, 'response_completeness', error.message, {
        operation,
        request,
        url: options?.url,
      })
      recorder.fail({ ...failure, requestId: error.requestId })
      if (silent < maxSilent) throw new LawSkipped()
      throw new RunStopped(`The server did not answer ${maxSilent} requests in succession. ${error.message}`)
    }
  }
  const session: Session = {
    ...parts,
    known: { project: false, agentJob: false, domain: false, exportJob: undefined, created: {}, startedRuns: [] },
    statuses: new Map(),
    reached: new Set(),
    requests: 0,
    async ask(operation, given) {
      const request = toRequest(session, operation, given)
      const exchange = await transmit(operation, request)
      note(session, operation, exchange.answer)
      for (const [check, fault] of judgeAnswer(operation, request, exchange.answer)) {
        session.check(check, fault === undefined, () => fault ?? '', exchange)
      }
      return exchange
    },
    send: (request, options) => transmit(undefined, request, options),
    check(check, holds, fault, exchange) {
      if (holds) recorder.pass(check)
      else recorder.fail(describe(session, check, fault(), exchange))
    },
  }
  return session
}

function describe(
  { settings, secrets }: Session,
  check: CheckName,
  fault: string,
  { operation, request, answer, url }: Omit<Exchange, 'answer'> & { answer?: Answer },
): Omit<Failure, 'count'> {
  return {
    check,
    operation: operation?.id,
    message: secrets.mask(fault),
    curl: writeCurl(url ?? settings.url, request, secrets.mask),
    status: answer?.status,
    requestId: answer?.headers['x-request-id'],
  }
}

function toRequest({ settings, known, nonce, requests }: Session, operation: Operation, given: Ask): Request {
  const { path = {}, query, headers = {}, body, authorization = `Bearer ${settings.key}` } = given
  const ids: Record<string, string> = {
    projectId: settings.project,
    id: settings.agentJob,
    jobId: known.exportJob ?? settings.exportJob ?? exampleOf(operation, 'jobId'),
  }
  // As the browser of a reader says it.
  const isOfPage = operation.parameters.some(({ in: place, name }) => place === 'header' && name === 'Origin')
  const target =
    given.target ??
    operation.path.replaceAll(/\{(\w+)\}/g, (_, name) => path[name] ?? encodeURIComponent(ids[name] ?? ''))
  return {
    method: operation.method,
    target: query === undefined || query === '' ? target : `${target}?${query}`,
    headers: leaveOutEmpty({
      ...(authorization !== null && { Authorization: authorization }),
      'X-Request-Id': `kit-${nonce}-${requests + 1}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(isOfPage && { Origin: `https://${settings.domain}` }),
      ...headers,
    }),
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  }
}

function leaveOutEmpty(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''))
}

function exampleOf({ parameters }: Operation, name: string): string {
  return String(parameters.find(parameter => parameter.name === name)?.example ?? '')
}

function note({ statuses, reached }: Session, { id, responses }: Operation, { status, headers }: Answer): void {
  const counts = statuses.get(id) ?? new Map<number, number>()
  statuses.set(id, counts.set(status, (counts.get(status) ?? 0) + 1))
  const documented = responses.get(status)
  if (!documented) return
  const hasBody = documented.content.size > 0
  const mediaType = hasBody ? ((headers['content-type'] ?? '').split(';')[0]?.trim() ?? '') : ''
  reached.add(`${id} ${status} ${mediaType}`.trim())
}
