import { Agent as HttpAgent, type IncomingMessage, type RequestOptions, request as sendHttp } from 'node:http'
import { Agent as HttpsAgent, request as sendHttps } from 'node:https'
import { type Answer, ExchangeError, type Request, type Send } from './exchange.ts'

/** Larger than any usual answer. A server that sends without end must not fill the memory. */
const maxBodyBytes = 64 * 2 ** 20

export interface Sender {
  send: Send
  /** Closes the connections. */
  close(): void
}

/** Creates a function that sends requests as they are written: paths are not normalised, and redirects are not followed. */
export function createSender({ url, timeoutMs }: { url: string; timeoutMs: number }): Sender {
  const base = new URL(url)
  const agents = { 'http:': new HttpAgent({ keepAlive: true }), 'https:': new HttpsAgent({ keepAlive: true }) }
  const prefix = base.pathname.replace(/\/+$/, '')

  const send: Send = async (request, { url: other } = {}) => {
    const target = other === undefined ? undefined : new URL(other)
    const { protocol, hostname, port } = target ?? base
    const options = {
      agent: agents[protocol as 'http:'],
      hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
      port,
      path: target ? target.pathname + target.search : prefix + request.target,
      method: request.method,
      headers: withLength(request),
    }
    const start = protocol === 'https:' ? sendHttps : sendHttp
    try {
      return await exchange(start, options, { body: request.body, timeoutMs })
    } catch (error) {
      // The server closed an idle connection while the request was on its way.
      if (!(error instanceof StaleConnection)) throw error
      return exchange(start, { ...options, agent: false }, { body: request.body, timeoutMs })
    }
  }
  return {
    send,
    close() {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

/** `rawPacket` has the bytes that are not valid HTTP. */
type RequestError = NodeJS.ErrnoException & { rawPacket?: Buffer }

class StaleConnection extends Error {}

function withLength({ headers, body }: Request): Record<string, string | number> {
  return body === undefined ? { ...headers } : { ...headers, 'Content-Length': Buffer.byteLength(body) }
}

function exchange(
  start: typeof sendHttp,
  options: RequestOptions,
  { body, timeoutMs }: { body: string | undefined; timeoutMs: number },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = start(options)
    let requestId: string | undefined
    let response: IncomingMessage | undefined
    const fail = (message: string) => {
      clearTimeout(timer)
      request.destroy()
      reject(new ExchangeError(message, requestId))
    }
    const timer = setTimeout(() => {
      fail(`${response ? 'The answer did not end' : 'The server did not answer'} within ${timeoutMs / 1000} seconds.`)
    }, timeoutMs)
    request.on('error', (error: RequestError) => {
      requestId ??= /^x-request-id: *([!-~]+)/im.exec(error.rawPacket?.toString('latin1') ?? '')?.[1]
      if (!response && request.reusedSocket && error.code === 'ECONNRESET') {
        clearTimeout(timer)
        return reject(new StaleConnection())
      }
      fail(explain(error))
    })
    request.on('response', given => {
      response = given
      requestId = readHeader(given, 'x-request-id')
      const chunks: Buffer[] = []
      let received = 0
      given.on('data', (chunk: Buffer) => {
        received += chunk.length
        if (received > maxBodyBytes) fail(`The body of the answer is larger than ${maxBodyBytes / 2 ** 20} MiB.`)
        else chunks.push(chunk)
      })
      // A response that breaks off has an error, and then also closes.
      given.on('error', () => fail(describeBreak(given, received)))
      given.on('end', () => {
        if (!given.complete) return fail(describeBreak(given, received))
        clearTimeout(timer)
        resolve({ status: given.statusCode ?? 0, headers: readHeaders(given), body: Buffer.concat(chunks) })
      })
    })
    // Without this, Node announces a body of unknown length for a POST without a body.
    if (body === undefined) request.removeHeader('Transfer-Encoding')
    request.end(body)
  })
}

function describeBreak({ headers }: IncomingMessage, received: number): string {
  const announced = headers['content-length']
  return announced === undefined
    ? `The connection closed in the middle of the answer, after ${received} bytes of its body.`
    : `The connection closed after ${received} of the ${announced} bytes that Content-Length announces.`
}

function readHeader({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

function readHeaders(message: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.keys(message.headers).map(name => [name, readHeader(message, name) ?? '']))
}

function explain({ code = '', message, rawPacket }: RequestError): string {
  // The first bytes of an alert of TLS (RFC 8446, 5.1).
  if (rawPacket?.[0] === 21 && rawPacket[1] === 3)
    return 'The server speaks TLS at this port. Write https instead of http.'
  if (/wrong.version.number|packet.length.too.long/i.test(message)) {
    return 'The server does not speak TLS at this port. Write http instead of https.'
  }
  if (/^(DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(VERIFY|GET)|CERT_|ERR_TLS_CERT)/.test(code)) {
    return `The TLS certificate of the server is not valid (${toLine(message)}). Set NODE_EXTRA_CA_CERTS to the file of its authority.`
  }
  if (code.startsWith('HPE_')) return `The answer is not valid HTTP/1.1 (${message}).`
  const reasons: Record<string, string> = {
    ECONNREFUSED: 'Nothing listens at this address.',
    ENOTFOUND: 'The host name is unknown.',
    EAI_AGAIN: 'The host name could not be resolved.',
    ECONNRESET: 'The server closed the connection without an answer.',
    EPIPE: 'The server closed the connection before it had the whole request.',
    ETIMEDOUT: 'The connection could not be opened in time.',
    EHOSTUNREACH: 'The host cannot be reached.',
    ENETUNREACH: 'The network of the host cannot be reached.',
  }
  return reasons[code] ?? `The request failed: ${toLine(message || code)}.`
}

/** The messages of OpenSSL end with a line break. */
function toLine(message: string): string {
  return message.trim().replace(/\s+/g, ' ').replace(/\.$/, '')
}
