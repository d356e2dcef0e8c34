import { createServer, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { actWhenLate } from '../base/timer.ts'

/** A path of 100,000 characters still gets the documented 404; for longer ones Node answers 431. */
const maxHeaderBytes = 256 * 1024
const closeWithinMs = 10_000

/**
 * Starts listening. The caller adds the request listener, and closes the server with `closeServer`.
 *
 * @throws {Error} with code EADDRINUSE, EACCES ... when it cannot listen on the address.
 */
export async function listen(host: string, port: number): Promise<Server> {
  const server = createServer({ maxHeaderSize: maxHeaderBytes, requestTimeout: 60_000, headersTimeout: 30_000 })
  server.on('clientError', answerUnreadable)
  await new Promise<void>((done, failed) => {
    server.once('error', failed)
    server.listen(port, host, done)
  })
  return server
}

/** Finishes the requests in flight; closes the connections that are still open after 10 s. */
export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>(done => server.close(() => done()))
  server.closeIdleConnections()
  await actWhenLate(closed, closeWithinMs, () => server.closeAllConnections())
}

/** Returns the URL of a listening server, such as http://127.0.0.1:8787 */
export function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

/** Answers bytes that Node cannot parse as a request; they do not reach the app. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return
  const isTooLarge = error.code === 'HPE_HEADER_OVERFLOW'
  const body = JSON.stringify({
    error: isTooLarge ? 'The path or the headers of the request are too long.' : 'This is not a valid HTTP request.',
  })
  socket.end(
    `HTTP/1.1 ${isTooLarge ? '431 Request Header Fields Too Large' : '400 Bad Request'}\r\n` +
      `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  )
}
