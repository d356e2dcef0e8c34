import { type ClientOptions, createClient } from '../../../spec/package/client/index.ts'

/** An answer, or an error that fetch throws. */
export type Scripted = Response | Error | ((request: Request) => Response | Error | Promise<Response>)

/** A key with its prefix, which no message may contain. */
export const apiKey = 'quire_4f7dSecretOfTheTest'

/** Creates a client that sends nothing: the requests get the scripted answers in turn, and the last one for ever. */
export function openScripted(script: readonly Scripted[], options: Partial<ClientOptions> = {}) {
  const requests: Request[] = []
  /** When each request was sent, in milliseconds since the first. */
  const times: number[] = []
  const startedAt = Date.now()
  const client = createClient({
    baseUrl: 'http://127.0.0.1:8787',
    apiKey,
    fetch: async request => {
      const next = script[Math.min(requests.length, script.length - 1)]
      requests.push(request)
      times.push(Date.now() - startedAt)
      const answer = typeof next === 'function' ? await next(request) : next
      if (answer instanceof Error || answer === undefined) throw answer
      return answer.clone()
    },
    ...options,
  })
  return { client, requests, times }
}

/** Returns an answer with the error body of the document. */
export function refuse(status: number, error: string, headers: Record<string, string> = {}): Response {
  return Response.json({ error, details: [{ message: error }] }, { status, headers })
}
