import { randomUUID } from 'node:crypto'
import type { Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import type { ErrorCode } from '../../generated/error-codes.ts'

interface Refusal {
  status: string
  code: ErrorCode
  error: string
  headers?: string
}

const invalid: Refusal = {
  status: '400 Bad Request',
  code: 'malformed_request',
  error: 'This is not a valid HTTP request.',
}

/** By the code of the error that Node reports. */
const refusals: Record<string, Refusal> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    code: 'headers_too_large',
    error: 'The path or the headers of the request are too long, or there are more than 100 headers.',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: '413 Content Too Large',
    code: 'malformed_request',
    error: 'The chunk extensions of the request are too long.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    code: 'request_timeout',
    error: 'The request did not arrive in time. Send it again, without a pause.',
  },
}

/** A client can read the answer in this time. Then the connection is closed, also if the client keeps it open or goes on sending. */
const lingerMs = 2000

/**
 * Answers requests that Node would refuse with an empty body or drop: bytes that are not a request, requests that are too long
 * or too slow, CONNECT, and unknown expectations. These answers have a JSON body and a request id like all others.
 *
 * @param methods that the server answers
 */
export function answerUnreadable(
  server: Server,
  log: Pick<Logger, 'info'>,
  methods = 'GET, HEAD, POST, OPTIONS',
): void {
  const noProxy: Refusal = {
    status: '405 Method Not Allowed',
    code: 'method_not_allowed',
    error: 'This server is not a proxy: it does not answer CONNECT.',
    headers: `Allow: ${methods}\r\n`,
  }
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return
    // Node keeps the response in progress here. A second answer in the middle of it would look like its content.
    const { _httpMessage: response } = socket as Duplex & { _httpMessage?: ServerResponse }
    if (response?.headersSent) return void socket.destroy(error)
    refuse(socket, refusals[error.code ?? ''] ?? invalid, { reason: error.code })
  })
  server.on('connect', (_req, socket) => refuse(socket, noProxy, { method: 'CONNECT' }))
  // `findBadForm` refuses it with 417.
  server.on('checkExpectation', (req, res) => server.emit('request', req, res))

  function refuse(socket: Duplex, { status, code, error, headers = '' }: Refusal, details: object): void {
    const requestId = randomUUID()
    const body = JSON.stringify({ error, code, requestId })
    log.info({ requestId, ...details, status: Number.parseInt(status, 10) }, 'request')
    socket.on('error', () => socket.destroy())
    setTimeout(() => socket.destroy(), lingerMs).unref()
    socket.end(
      `HTTP/1.1 ${status}\r\nX-Request-Id: ${requestId}\r\n${headers}Content-Type: application/json; charset=utf-8\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    )
  }
}
