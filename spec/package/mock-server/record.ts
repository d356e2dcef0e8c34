import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestHttp,
  type Server,
  type ServerResponse,
} from 'node:http'
import { request as requestHttps } from 'node:https'
import { pipeline } from 'node:stream/promises'
import { exposedHeaders } from '../../../server/http/cors.ts'
import { HttpError } from '../../../server/http/http-error.ts'
import { served } from '../../../server/http/served-routes.ts'
import { bundlesPath } from '../mock/bundle-links.ts'
import { type Exchange, recordedOrigin } from './exchange.ts'
import { readBody } from './read-body.ts'
import { findSecrets, removeSecrets } from './remove-secrets.ts'
import { createMockServer, refuse, type ServerOptions } from './server.ts'

/** Larger answers, such as the bundle of a large site, are passed on without being recorded. */
const maxRecordedBytes = 5 * 1024 * 1024
const timeoutMs = 120_000
/** Hop-by-hop headers (RFC 9110 7.6.1), and those that each side sets itself. Without an encoding, secrets are found in a body. */
const ownHeaders =
  /^(connection|keep-alive|te|upgrade|transfer-encoding|content-length|expect|host|date|accept-encoding|access-control-.*)$/
/** A list of what may be in a recording, because an unknown header can be a secret. */
const recordedHeaders = [
  ...exposedHeaders.toLowerCase().split(', '),
  'content-type',
  'cache-control',
  'preference-applied',
].filter(name => name !== 'x-request-id')

interface RecordingOptions extends ServerOptions {
  /** The server that answers, without a slash at the end. */
  url: string
  write(exchange: Exchange): void
  /** Called with a sentence when an answer is not recorded. */
  warn(text: string): void
}

/** Creates a server that passes requests on and records the answers. Links in them lead to this server. */
export function createRecordingServer({ url, write, warn, ...options }: RecordingOptions): Server {
  return createMockServer(async (req, res) => {
    const { method = 'GET', url: target = '/' } = req
    const body = await readBody(req, Number.POSITIVE_INFINITY)
    // A target such as @evil.example would lead to another server.
    if (!target.startsWith('/')) return refuse(req, res, served.refuseUnknown(method, target))
    let answer: IncomingMessage
    try {
      answer = await ask(url + target, req, body)
    } catch (error) {
      const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message
      return refuse(req, res, new HttpError(502, 'internal_error', `${url} did not answer: ${reason}. Check --record.`))
    }
    const content = await passOn(answer, res, { url, baseUrl: `http://${req.headers.host ?? 'localhost'}` })
    const route = served.findRoute(method, target)
    if (!route && !target.startsWith(`${bundlesPath}/`)) return
    if (content === undefined) return warn(`${method} ${removeSecrets(target)} is not recorded: it has more than 5 MB.`)
    const secrets = findSecrets(target, req.headers)
    const clean = (text: string) => removeSecrets(moveLinks(text, url, recordedOrigin), secrets)
    // Log lines have the addresses of visitors.
    const asked = route?.isRaw ? undefined : toText(body)
    const text = toText(content)
    write({
      method,
      path: clean(target),
      ...(asked !== undefined && asked !== '' && { requestBody: clean(asked) }),
      status: answer.statusCode ?? 0,
      headers: cleanHeaders(answer.headers, clean),
      ...(text === undefined ? { body: content.toString('base64'), isBase64: true } : { body: clean(text) }),
    })
  }, options)
}

function ask(url: string, { method = 'GET', headers }: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
  const { protocol, hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const asked = (protocol === 'https:' ? requestHttps : requestHttp)({
      hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
      port,
      // As the client wrote it.
      path: url.slice(url.indexOf('/', url.indexOf('//') + 2)),
      method,
      headers: {
        ...Object.fromEntries(Object.entries(headers).filter(([name]) => !ownHeaders.test(name))),
        'accept-encoding': 'identity',
        ...((body.length > 0 || method === 'POST') && { 'content-length': body.length }),
      },
      timeout: timeoutMs,
    })
    asked.on('timeout', () => asked.destroy(new Error(`no answer within ${timeoutMs / 1000} seconds`)))
    asked.on('error', reject)
    asked.on('response', resolve)
    asked.end(body)
  })
}

/** Sends the answer to the client. Returns its body as it came; undefined if it is too large for a recording. */
async function passOn(
  answer: IncomingMessage,
  res: ServerResponse,
  place: { url: string; baseUrl: string },
): Promise<Buffer | undefined> {
  const own = (text: string) => moveLinks(text, place.url, place.baseUrl)
  for (const [name, value] of Object.entries(answer.headers)) {
    if (ownHeaders.test(name) || value === undefined) continue
    // CORS has set Vary already.
    if (name === 'vary') res.appendHeader('Vary', value)
    else res.setHeader(name, typeof value === 'string' ? own(value) : value)
  }
  res.statusCode = answer.statusCode ?? 502
  if (/json/.test(answer.headers['content-type'] ?? '')) {
    const content = await readBody(answer, Number.POSITIVE_INFINITY)
    res.end(own(content.toString()))
    return content.length > maxRecordedBytes ? undefined : content
  }
  const chunks: Buffer[] = []
  let sizeBytes = 0
  answer.on('data', (chunk: Buffer) => {
    sizeBytes += chunk.length
    if (sizeBytes <= maxRecordedBytes) chunks.push(chunk)
  })
  const length = answer.headers['content-length']
  if (length !== undefined) res.setHeader('Content-Length', length)
  await pipeline(answer, res)
  return sizeBytes > maxRecordedBytes ? undefined : Buffer.concat(chunks)
}

/** Lets links to the server lead to another address. The server may know itself by another name, so links to bundles are moved, too. */
function moveLinks(text: string, from: string, to: string): string {
  return text.replaceAll(from, to).replaceAll(/https?:\/\/[^/?#"'\s\\]+(?=\/bundles\/)/g, to)
}

function cleanHeaders(headers: IncomingHttpHeaders, clean: (text: string) => string): Record<string, string> {
  const kept = recordedHeaders.flatMap(name => {
    const value = headers[name]
    return value === undefined ? [] : [[name, clean(String(value))] as const]
  })
  return Object.fromEntries(kept)
}

function toText(content: Buffer): string | undefined {
  const text = content.toString()
  return Buffer.from(text).equals(content) ? text : undefined
}
