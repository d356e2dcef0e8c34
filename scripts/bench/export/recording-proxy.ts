import { createServer, request as forward } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * All of the network that a browser has: it passes on what goes to the allowed host, and notes and refuses the rest,
 * prefetches, websockets and service workers too, which interception inside the browser does not see.
 */
export interface RecordingProxy {
  address: string
  /** host:port that requests may go to; null = none. */
  allow(host: string | null): void
  /** What was refused since the last call, as METHOD URL. */
  takeRefused(): string[]
  close(): Promise<void>
}

/** What Chromium asks for by itself, whatever it shows and whatever flags it is given. */
const browserHosts =
  /\/\/(update|content-autofill|optimizationguide-pa|clients\d*|accounts)\.(googleapis|google)\.com\b/

/** Starts one on a free port of this machine. */
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
