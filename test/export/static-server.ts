import { createReadStream, existsSync, statSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'

const types: Record<string, string> = {
  '.css': 'text/css',
  '.gif': 'image/gif',
  '.htm': 'text/html',
  '.html': 'text/html',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
  '.woff2': 'font/woff2',
  '.xml': 'application/xml',
}

export interface RunningServer {
  origin: URL
  /** Paths requested so far, with their query. */
  requests: string[]
  close(): Promise<void>
}

/** Starts a server on a free port of the loopback interface. */
export async function startServer(listener: RequestListener): Promise<RunningServer> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    listener(request, response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: new URL(`http://127.0.0.1:${port}/`),
    requests,
    close() {
      server.closeAllConnections()
      return new Promise(resolve => server.close(() => resolve()))
    },
  }
}

export interface HostHabits {
  /** Whether the host shows a.html for `/a`. */
  guesses?: boolean
  /** Whether the host also redirects `/a.html` to `/a`, and prefers a/index.html for `/a`. */
  isClean?: boolean
  /** Files that the host shows for a folder, best first. */
  indexes?: readonly string[]
}

/** Serves the files of a folder. For a subfolder it serves an index file; without a trailing slash it redirects. */
export function serveFolder(
  folder: string,
  prefix = '/',
  { guesses = false, isClean = false, indexes = ['index.html'] }: HostHabits = {},
): RequestListener {
  return (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://static.invalid')
    const local = pathname.startsWith(prefix) ? `/${pathname.slice(prefix.length)}` : null
    let file = local === null ? null : join(folder, normalize(decodeURIComponent(local)))
    try {
      if (!file) throw new Error('outside')
      if (isClean && pathname.endsWith('.html')) {
        response.writeHead(301, { location: pathname.replace(/(?:(\/)index)?\.html$/, '$1') + search }).end()
        return
      }
      if (isClean && existsSync(join(file, 'index.html'))) file = join(file, 'index.html')
      else if (guesses && existsSync(`${file}.html`)) file += '.html'
      if (statSync(file).isDirectory()) {
        if (!pathname.endsWith('/')) {
          response.writeHead(301, { location: `${pathname}/` }).end()
          return
        }
        const directory = file
        file = join(directory, indexes.find(name => existsSync(join(directory, name))) ?? 'index.html')
      }
      const { size } = statSync(file)
      const type = types[extname(file)] ?? 'application/octet-stream'
      response.writeHead(200, { 'content-type': type, 'content-length': size })
      createReadStream(file).pipe(response)
    } catch {
      response
        .writeHead(404, { 'content-type': 'text/html' })
        .end('<!doctype html><title>404</title><h1>Not found</h1>')
    }
  }
}
