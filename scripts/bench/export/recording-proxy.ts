import { createServer, request as forward } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * A proxy for all traffic of a browser. It forwards requests to the allowed host, and records and refuses all others,
 * including prefetches, WebSockets and service workers, which interception inside the browser does not see.
 */
export interface RecordingProxy {
  address: string
  /** Allowed host:port; null = none. */
  allow(host: string | null): void
  /** Returns the requests refused since the last call, as METHOD URL. */
  takeRefused(): string[]
  close(): Promise<void>
}

/** Matches requests that Chromium itself makes, on any page and with any flags. */
const browserHosts =
  /\/\/(update|content-autofill|optimizationguide-pa|clients\d*|accounts)\.(googleapis|google)\.com\b/

/** Starts a recording proxy on a free local port. */
export async function openRecordingProxy(): Promise<RecordingProxy> {
  let allowed: string | null = null
  let refused: string[] = []
  const refuse = (method: string | undefined, url: string) => {
    if (!browserHosts.test(url)) refused.push(`${method} ${url}`)
  }
  const server = createServer((request, response) => {
    const url = URL.parse(request.url ?? '')
    if (!url || url.host !== allowed) {
      refuse(request.method, request.url ?? '')
      response.writeHead(403).end()
      return
    }
    const onward = forward(url, { method: request.method ?? 'GET', headers: request.headers }, answer => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    onward.on('error', () => response.destroy())
    request.pipe(onward)
  })
  server.on('connect', (request, socket) => {
    refuse('CONNECT', `//${request.url}`)
    socket.on('error', () => {})
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    allow(host) {
      allowed = host
    },
    takeRefused() {
      const taken = refused
      refused = []
      return taken
    },
    close() {
      server.closeAllConnections()
      return new Promise(done => server.close(() => done()))
    },
  }
}
