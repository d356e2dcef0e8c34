import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { findBadForm } from '../../../server/http/request-form.ts'
import { safeRequestId } from '../../../server/http/request-id.ts'
import { mocked } from '../mock/extensions.ts'
import type { Mock } from '../mock/index.ts'
import { maxVisitsBytes } from '../mock/visits-receiver.ts'
import { answerControls, controlPath } from './controls.ts'
import { type DocumentAnswer, findDocument } from './documents.ts'
import { readBody } from './read-body.ts'
import { createMockServer, refuse, type ServerOptions } from './server.ts'

const bodyLimitBytes = 1024 * 1024

/** Creates the server of a moving mock. */
export function createMovingServer({ mock, documents, ...options }: ServerOptions & MovingPlace): Server {
  return createMockServer((req, res) => answer(req, res, { mock, documents }), options)
}

interface MovingPlace {
  mock: Mock
  /** The folder with openapi.json, openapi.yaml and extensions/openapi.json. */
  documents: string
}

async function answer(req: IncomingMessage, res: ServerResponse, { mock, documents }: MovingPlace): Promise<void> {
  const { method = 'GET', url: target = '/' } = req
  // One byte more than the limit is enough for a 413.
  const body = await readBody(req, (mocked.findRoute(method, target)?.isRaw ? maxVisitsBytes : bodyLimitBytes) + 1)
  const badForm = findBadForm(req)
  if (badForm) return refuse(req, res, badForm)
  if (target.split('?')[0] === controlPath) return void answerControls(req, res, { mock, body: body.toString() })
  const baseUrl = `http://${req.headers.host ?? 'localhost'}`
  const document = findDocument(mocked, method, target, { baseUrl, folder: documents })
  if (document) return sendDocument(document, req, res)
  const isKnown = mocked.findRoute(method, target) !== undefined || isBundle(method, target)
  if (!isKnown) return refuse(req, res, mocked.refuseUnknown(method, target))
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
  return new Request('http://mock.invalid/', {
    method,
    headers,
    ...((method === 'POST' || method === 'PUT') && { body }),
  })
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
