import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { decideCors } from '../../../server/http/cors.ts'
import { finishError, prefersProblem, problemJson, toErrorBody } from '../../../server/http/error-body.ts'
import type { HttpError } from '../../../server/http/http-error.ts'
import { createHttpServer } from '../../../server/http/listen.ts'
import { safeRequestId } from '../../../server/http/request-id.ts'
import { served } from '../../../server/http/served-routes.ts'
import { answerUnreadable } from '../../../server/http/unreadable.ts'

export interface ServerOptions {
  /** Whether scripts of this origin may read the answers. */
  allowsOrigin: (origin: string) => boolean
  onAnswer?: (method: string, target: string, status: number) => void
}

/** Creates a server that allows origins, and leaves the rest of each request to `answer`. */
export function createMockServer(
  answer: (req: IncomingMessage, res: ServerResponse) => Promise<void>,
  { allowsOrigin, onAnswer }: ServerOptions,
): Server {
  const server = createHttpServer().on('request', async (req: IncomingMessage, res: ServerResponse) => {
    const { method = 'GET', url: target = '/' } = req
    const cors = decideCors({ method, target, headers: req.headers }, allowsOrigin)
    for (const [name, value] of Object.entries(cors.headers)) res.setHeader(name, value)
    res.on('finish', () => onAnswer?.(method, target, res.statusCode))
    if (cors.isPreflight) return void res.writeHead(204, { 'X-Request-Id': safeRequestId(undefined) }).end()
    try {
      await answer(req, res)
    } catch (error) {
      // Only the connection can fail here.
      res.destroy(error as Error)
    }
  })
  answerUnreadable(server, { info() {} })
  return server
}

/** Sends an error as the server does. */
export function refuse(req: IncomingMessage, res: ServerResponse, error: HttpError): void {
  const route = served.findRoute(req.method ?? 'GET', req.url ?? '/')
  for (const [name, value] of Object.entries(error.headers)) res.setHeader(name, value)
  const requestId = safeRequestId(req.headers['x-request-id'])
  const isProblem = prefersProblem(req.headers.accept)
  res.setHeader('X-Request-Id', requestId)
  res.setHeader('Content-Type', isProblem ? problemJson : 'application/json; charset=utf-8')
  res.statusCode = error.status
  res.end(JSON.stringify(finishError(error.status, toErrorBody(error, route), { requestId, isProblem })))
}
