import { randomUUID } from 'node:crypto'
import { type IncomingHttpHeaders, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { decideCors } from '../server/http/cors.ts'
import { bodyTooLarge, HttpError } from '../server/http/http-error.ts'
import { createHttpServer } from '../server/http/listen.ts'
import { chooseMediaType } from '../server/http/media-type.ts'
import { findBadForm } from '../server/http/request-form.ts'
import { served } from '../server/http/served-routes.ts'
import { answerUnreadable } from '../server/http/unreadable.ts'
import { settingNames } from '../spec/package/mock/settings.ts'
import { findDocument } from '../spec/package/mock-server/documents.ts'
import { type Answer, answerError, answerUnchanged, dropPrismHeaders, finish, translate } from './answer.ts'
import { generated } from './both-documents.ts'
import { checkRequest, type Document } from './requests.ts'

const bodyLimitBytes = 1024 * 1024
const prismTimeoutMs = 10_000
/** Hop-by-hop headers (RFC 9110 7.6.1), and headers that each side sets itself. */
const ownHeaders = ['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'expect', 'host', 'date']

/**
 * Creates the server that clients of the mock connect to. It forwards requests to Prism and handles those that Prism cannot:
 * Prism hangs on malformed JSON, crashes on a stray percent sign, accepts unknown query parameters, and has other error
 * bodies.
 */
export function createFront(options: {
  /** Called for each request, because a restarted Prism has another URL. */
  prismUrl: () => Promise<string>
  document: Document
  /** Whether scripts of this origin may read the answers. */
  allowsOrigin: (origin: string) => boolean
  onAnswer?: (method: string, target: string, status: number) => void
}): Server {
  const server = createHttpServer().on('request', async (req: IncomingMessage, res: ServerResponse) => {
    const { method = 'GET', url: target = '/' } = req
    const cors = decideCors({ method, target, headers: req.headers }, options.allowsOrigin)
    const requestId = randomUUID()
    const given = cors.isPreflight
      ? { status: 204, headers: {}, body: Buffer.alloc(0) }
      : await answer(req, method, target).catch((error: Error) =>
          answerError(served.findRoute(method, target), toHttpError(error)),
        )
    const { status, headers, body } = finish(given, { accept: req.headers.accept, requestId })
    res.writeHead(status, {
      ...without(dropPrismHeaders(headers, req.headers.prefer?.toString()), ownHeaders),
      ...cors.headers,
      Vary: [cors.headers.Vary, headers.etag && 'Accept'].filter(name => name).join(', '),
      'x-request-id': requestId,
      ...(status !== 204 && status !== 304 && { 'content-length': body.length }),
    })
    res.end(body)
    options.onAnswer?.(method, target, status)
  })
  answerUnreadable(server, { info() {} })
  return server

  async function answer(req: IncomingMessage, method: string, target: string): Promise<Answer> {
    const body = await readAll(req, bodyLimitBytes)
    const route = served.findRoute(method, target)
    const badForm = findBadForm(req)
    if (badForm) return answerError(route, badForm)
    const place = { baseUrl: `http://${req.headers.host ?? 'localhost'}`, folder: generated }
    const document = findDocument(served, method, target, place)
    if (document) {
      const content = method === 'HEAD' ? '' : document.body
      return { status: 200, headers: { 'content-type': document.contentType }, body: Buffer.from(content) }
    }
    if (!route) return answerError(undefined, served.refuseUnknown(method, target))
    // Without a key the answer is 401, even if the request has other faults. The fixed request below makes Prism give it.
    if (!/^bearer +\S/i.test(req.headers.authorization ?? '')) {
      return askPrism(route.method, route.path.replaceAll(/\{\w+\}/g, 'any'), {}, Buffer.alloc(0))
    }
    if (body === undefined) return answerError(route, bodyTooLarge)
    const moving = findMovingSetting(req.headers.prefer?.toString())
    if (moving !== undefined) throw new HttpError(400, 'invalid_request', explainMoving(moving))
    const mediaType = chooseMediaType(req.headers.accept, route.mediaTypes)
    checkRequest(options.document, route, { target, headers: req.headers, body })
    // Prism would answer 406 if Accept allows none of its media types. An error is JSON in any case.
    const headers = {
      ...req.headers,
      accept: [...new Set([mediaType, 'application/json'])].filter(Boolean).join(', '),
      // An error is converted to a problem later, and its example is that of the JSON.
      prefer: (req.headers.prefer ?? '').toString().replace(/,?\s*\bexample=problem\b/, ''),
    }
    // Prism cannot read log lines, which may also be compressed.
    const isText = route.isRaw ? { 'content-type': 'text/plain', 'content-encoding': 'identity' } : {}
    const content = route.isRaw ? Buffer.from('lines') : route.hasBody ? body : Buffer.alloc(0)
    const answer = await askPrism(route.method, target, { ...headers, ...isText }, content)
    return answerUnchanged(translate(route, answer), req.headers['if-none-match'])
  }

  async function askPrism(method: string, target: string, headers: IncomingHttpHeaders, body: Buffer): Promise<Answer> {
    const prismUrl = await options.prismUrl()
    return new Promise((resolve, reject) => {
      const asked = request(prismUrl, {
        method: method.toUpperCase(),
        path: target,
        headers:
          body.length > 0
            ? { ...without(headers, ownHeaders), 'content-type': mediaType(headers), 'content-length': body.length }
            : without(headers, [...ownHeaders, 'content-type']),
        timeout: prismTimeoutMs,
      })
      asked.on('timeout', () => asked.destroy(new Error(`no answer within ${prismTimeoutMs / 1000} seconds`)))
      asked.on('error', reject)
      asked.on('response', response => {
        const { statusCode = 502, headers } = response
        readAll(response).then(body => resolve({ status: statusCode, headers, body }), reject)
      })
      asked.end(body)
    })
  }
}

/** Converts what went wrong for a request. */
function toHttpError(thrown: Error): HttpError {
  if (thrown instanceof HttpError) return thrown
  return new HttpError(502, 'internal_error', `Prism did not answer: ${thrown.message}. Try again.`)
}

/** Returns a valid Content-Type, JSON or plain text: Prism fails on an invalid one. */
function mediaType(headers: IncomingHttpHeaders): string {
  return /^application\/json *(;|$)/i.test(headers['content-type'] ?? '') ? 'application/json' : 'text/plain'
}

function without(headers: IncomingHttpHeaders, names: string[]): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)))
}

/** Reads the body to its end. Returns undefined if it exceeds the limit. */
async function readAll(message: IncomingMessage, limitBytes: number): Promise<Buffer | undefined>
async function readAll(message: IncomingMessage): Promise<Buffer>
async function readAll(message: IncomingMessage, limitBytes = Number.POSITIVE_INFINITY): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of message as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length
    if (sizeBytes <= limitBytes) chunks.push(chunk)
  }
  return sizeBytes <= limitBytes ? Buffer.concat(chunks) : undefined
}

/** Returns the name of the first preference that only the mock that moves knows. */
function findMovingSetting(prefer = ''): string | undefined {
  const names = prefer.split(',').map(preference => preference.split('=', 1)[0]?.trim().toLowerCase())
  return settingNames.find(name => names.includes(name))
}

function explainMoving(name: string): string {
  return `This mock has fixed examples, and no ${name}. Start it with npm run mock -- --scenario usual, or choose an example with code and example.`
}
