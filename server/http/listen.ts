import { createServer, type Server } from 'node:http'
import { type AddressInfo, isIPv6 } from 'node:net'

/** The request line and the headers together, as in Node and most proxies. The cost of reading a header grows with its size. */
const maxHeaderBytes = 16 * 1024
/** Browsers and proxies together send about 40. */
const maxHeaders = 100
/** More than the 60 s of nginx and other proxies: the side that sends requests should close an idle connection. */
const idleTimeoutMs = 75_000

/** Creates a server with the limits of everything that listens. The caller adds the listeners, see `answerUnreadable`. */
export function createHttpServer(): Server {
  const server = createServer({
    maxHeaderSize: maxHeaderBytes,
    requestTimeout: 60_000,
    headersTimeout: 30_000,
    connectionsCheckingInterval: 5000, // by default 30 s, so that slow requests could take twice their time
    keepAliveTimeout: idleTimeoutMs,
    requireHostHeader: false, // `findBadForm` refuses requests without one, in the JSON body of all errors
  })
  server.maxHeadersCount = maxHeaders // Node 26 refuses more with HPE_HEADER_OVERFLOW; before, it dropped them silently
  return server
}

/**
 * Starts listening. The caller adds the listeners of requests and of errors, and closes the server, see `createGracefulClose`.
 *
 * @throws {Error} with code EADDRINUSE, EACCES ... when it cannot listen on the address.
 */
export async function listen(host: string, port: number): Promise<Server> {
  const server = createHttpServer()
  await new Promise<void>((done, failed) => {
    server.once('error', failed)
    server.listen(port, host, done)
  })
  return server
}

/** Returns a URL that reaches a listening server from this machine, such as http://127.0.0.1:8787. Never a wildcard. */
export function urlOf(server: Server): string {
  const { address, port } = server.address() as AddressInfo
  return toUrl(address, port)
}

/** Returns a URL that reaches a server on this address and port from this machine. */
export function toUrl(address: string, port: number): string {
  if (isWildcard(address)) return `http://127.0.0.1:${port}`
  // Links may not contain brackets.
  if (address === '::1') return `http://localhost:${port}`
  return `http://${isIPv6(address) ? `[${address}]` : address}:${port}`
}

/** Whether a listening server takes connections on all addresses of the machine. */
export function listensEverywhere(server: Server): boolean {
  return isWildcard((server.address() as AddressInfo).address)
}

function isWildcard(address: string): boolean {
  return address === '0.0.0.0' || address === '::'
}
