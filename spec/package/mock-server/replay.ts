import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { HttpError } from '../../../server/http/http-error.ts'
import { findBadForm } from '../../../server/http/request-form.ts'
import { safeRequestId } from '../../../server/http/request-id.ts'
import { type Exchange, recordedOrigin } from './exchange.ts'
import { readBody } from './read-body.ts'
import { removeSecrets } from './remove-secrets.ts'
import { createMockServer, refuse, type ServerOptions } from './server.ts'

/** How many recorded requests a 404 lists. */
const maxListed = 20

/**
 * Creates a server that repeats recorded answers, by method, path and query: in the order in which they were recorded, and then the
 * last one again.
 */
export function createReplayServer(exchanges: readonly Exchange[], options: ServerOptions): Server {
  const left = new Map<string, Exchange[]>()
  for (const exchange of exchanges) {
    const name = `${exchange.method} ${exchange.path}`
    left.set(name, [...(left.get(name) ?? []), exchange])
  }
  const list = describeRecorded([...left.keys()])
  return createMockServer(async (req, res) => {
    await readBody(req, 0)
    const badForm = findBadForm(req)
    if (badForm) return refuse(req, res, badForm)
    const target = removeSecrets(req.url ?? '/')
    const find = (method = 'GET') => left.get(`${method} ${target}`)
    const found = find(req.method) ?? (req.method === 'HEAD' ? find('GET') : undefined)
    const exchange = found && found.length > 1 ? found.shift() : found?.[0]
    if (exchange) return send(exchange, req, res)
    const message = `There is no recorded answer for ${req.method} ${target.slice(0, 200)}. ${list}`
    refuse(req, res, new HttpError(404, 'unknown_path', message))
  }, options)
}

function describeRecorded(requests: readonly string[]): string {
  const more = requests.length - maxListed
  return `Recorded are: ${requests.slice(0, maxListed).join(', ')}${more > 0 ? `, and ${more} more` : ''}.`
}

function send({ status, headers, body, isBase64 }: Exchange, req: IncomingMessage, res: ServerResponse): void {
  const baseUrl = `http://${req.headers.host ?? 'localhost'}`
  const toOwn = (text: string) => text.replaceAll(recordedOrigin, baseUrl)
  const content = isBase64 ? Buffer.from(body, 'base64') : Buffer.from(toOwn(body))
  for (const [name, value] of Object.entries(headers)) {
    // CORS has set Vary already.
    if (name === 'vary') res.appendHeader('Vary', value)
    else res.setHeader(name, toOwn(value))
  }
  res.setHeader('X-Request-Id', safeRequestId(req.headers['x-request-id']))
  const hasBody = status !== 204 && status !== 304
  if (hasBody) res.setHeader('Content-Length', content.length)
  res.writeHead(status).end(hasBody && req.method !== 'HEAD' ? content : undefined)
}
