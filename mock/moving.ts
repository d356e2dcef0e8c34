import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { decideCors } from '../server/http/cors.ts'
import { finishError, prefersProblem, problemJson, toErrorBody } from '../server/http/error-body.ts'
import type { HttpError } from '../server/http/http-error.ts'
import { createHttpServer } from '../server/http/listen.ts'
import { findBadForm } from '../server/http/request-form.ts'
import { safeRequestId } from '../server/http/request-id.ts'
import { administration, findRoute, refuseUnknown } from '../server/http/routes.ts'
import { answerUnreadable } from '../server/http/unreadable.ts'
import type { Mock } from '../spec/package/mock/index.ts'
import { answerControls, controlPath } from './controls.ts'
import { type DocumentAnswer, findDocument } from './documents.ts'
import { readBody } from './read-body.ts'

const bodyLimitBytes = 1024 * 1024

/** Creates the server of a moving mock. */
export function createMovingServer(options: {
  mock: Mock
  /** Whether scripts of this origin may read the answers. */
  allowsOrigin: (origin: string) => boolean
  onAnswer?: (method: string, target: string, status: number) => void
}): Server {
  const { mock, allowsOrigin, onAnswer } = options
  const server = createHttpServer().on('request', async (req: IncomingMessage, res: ServerResponse) => {
    const { method = 'GET', url: target = '/' } = req
    const cors = decideCors({ method, target, headers: req.headers }, allowsOrigin)
    for (const [name, value] of Object.entries(cors.headers)) res.setHeader(name, value)
    res.on('finish', () => onAnswer?.(method, target, res.statusCode))
    if (cors.isPreflight) return void res.writeHead(204, { 'X-Request-Id': safeRequestId(undefined) }).end()
    try {
      await answer(req, res, mock)
    } catch (error) {
      // Only the connection can fail here.
      res.destroy(error as Error)
    }
  })
  answerUnreadable(server, { info() {} })
  return server
}

async function answer(req: IncomingMessage, res: ServerResponse, mock: Mock): Promise<void> {
  const { method = 'GET', url: target = '/' } = req
  // One byte more than the limit is enough for a 413.
  const body = await readBody(req, bodyLimitBytes + 1)
  const badForm = findBadForm(req)
  if (badForm) return refuse(req, res, badForm)
  if (target.split('?')[0] === controlPath) return void answerControls(req, res, { mock, body: body.toString() })
  const baseUrl = `http://${req.headers.host ?? 'localhost'}`
  const document = findDocument(administration, method, target, baseUrl)
  if (document) return sendDocument(document, req, res)
  const isKnown = findRoute(method, target) !== undefined || isBundle(method, target)
  if (!isKnown) return refuse(req, res, refuseUnknown(method, target))
  const response = await mock.answer(toRequest(req, body), { target, baseUrl })
  if (response.type === 'error') return void res.destroy()
  await send(response, res)
}

function sendDocument({ contentType, body }: DocumentAnswer, req: IncomingMessage, res: ServerResponse): void {
  const headers = { 'X-Request-Id': safeRequestId(req.headers['x-request-id']), 'Content-Type': contentType }
  res.writeHead(200, headers).end(req.method === 'HEAD' ? undefined : body)
}

function isBundle(method: string, target: string): boolean {
  return (method === 'GET' || method === 'HEAD') && target.startsWith('/bundles/')
}

/** The URL says nothing, because a URL cannot have every host and path that a client may send. */
function toRequest(req: IncomingMessage, body: Buffer<ArrayBuffer>): Request {
  const { method = 'GET' } = req
  const headers = new Headers()
  for (const [name, values] of Object.entries(req.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value)
  }
  return new Request('http://mock.invalid/', { method, headers, ...(method === 'POST' && { body }) })
}

async function send(response: Response, res: ServerResponse): Promise<void> {
  for (const [name, value] of response.headers) {
    // CORS has set Vary already.
    if (name === 'vary') res.appendHeader('Vary', value)
    else res.setHeader(name, value)
  }
  res.statusCode = response.status
  res.end(Buffer.from(await response.arrayBuffer()))
}

function refuse(req: IncomingMessage, res: ServerResponse, error: HttpError): void {
  const route = findRoute(req.method ?? 'GET', req.url ?? '/')
  for (const [name, value] of Object.entries(error.headers)) res.setHeader(name, value)
  const requestId = safeRequestId(req.headers['x-request-id'])
  const isProblem = prefersProblem(req.headers.accept)
  res.setHeader('X-Request-Id', requestId)
  res.setHeader('Content-Type', isProblem ? problemJson : 'application/json; charset=utf-8')
  res.statusCode = error.status
  res.end(JSON.stringify(finishError(error.status, toErrorBody(error, route), { requestId, isProblem })))
}
