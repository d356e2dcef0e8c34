import type { Answer, CheckName, Request, SendOptions } from '../../../spec/package/conformance/index.ts'

/** Sends a request to the right server. */
type Next = (request?: Partial<Request>, options?: SendOptions) => Promise<Answer>

/** A server that is right but for one thing: what it does with a request, given the right server. */
export interface WrongServer {
  fault: string
  /** The checks that must fail; others may fail too. */
  caught: readonly CheckName[]
  /** Checks whose requests the fault needs. */
  needs?: readonly CheckName[]
  /** Generated requests that the fault needs. */
  maxRequests?: number
  answer(request: Request, next: Next, options: SendOptions | undefined): Promise<Answer>
}

export const isVisitors = ({ target }: Request) => target.includes('/visitors')
export const isStart = ({ method, target }: Request) => method === 'POST' && /\/static-export\/jobs(\?|$)/.test(target)
export const isJob = ({ method, target }: Request) => method === 'GET' && target.includes('/static-export/jobs/')
export const isAgentJob = ({ target }: Request) => target.includes('/v2/agent/')

/** Replaces fields of a JSON object. */
export function withBody(answer: Answer, change: (body: Record<string, unknown>) => object): Answer {
  const body = JSON.parse(Buffer.from(answer.body).toString())
  return { ...answer, body: Buffer.from(JSON.stringify(change(body))) }
}

export function withHeader(answer: Answer, name: string, value: string | undefined): Answer {
  const { [name]: _, ...headers } = answer.headers
  return { ...answer, headers: value === undefined ? headers : { ...headers, [name]: value } }
}

export function withQuery({ target }: Request, change: (query: URLSearchParams) => void): Partial<Request> {
  const [path, text = ''] = target.split('?')
  const query = new URLSearchParams(text)
  change(query)
  return { target: `${path}?${query}` }
}

export const when =
  (applies: (request: Request, answer: Answer, isLink: boolean) => boolean, change: (answer: Answer) => Answer) =>
  async (request: Request, next: Next, options?: SendOptions): Promise<Answer> => {
    const answer = await next()
    return applies(request, answer, options?.url !== undefined) ? change(answer) : answer
  }
