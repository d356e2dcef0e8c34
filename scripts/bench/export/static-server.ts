import { createReadStream, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize, sep } from 'node:path'

const types: Record<string, string> = {
  '.css': 'text/css',
  '.gif': 'image/gif',
  '.html': 'text/html',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.map': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.mjs': 'text/javascript',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.xml': 'application/xml',
}

export interface StaticServer {
  /** Address with the prefix and a trailing slash. */
  root: URL
  close(): Promise<void>
}

export interface StaticServerOptions {
  /** Path of the folder on the host, with a leading and a trailing slash. */
  prefix?: string
  /** Whether the server answers unknown paths, except paths of files, with index.html and 200, as for single-page apps. */
  isApp?: boolean
  /** Whether /a is redirected to /a/ (nginx, Apache, GitHub Pages) or answered from a/index.html (sirv, Netlify). */
  redirectsFolders?: boolean
}

/** Serves a folder on a free local port like a static host: media type by extension, validators, keep-alive. */
export async function serveStatic(folder: string, options: StaticServerOptions = {}): Promise<StaticServer> {
  const { prefix = '/', isApp = false, redirectsFolders = false } = options
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://static.invalid')
    const found = pathname.startsWith(prefix) ? findFile(folder, `/${pathname.slice(prefix.length)}`) : null
    if (found?.isFolder && redirectsFolders && !pathname.endsWith('/')) {
      response.writeHead(301, { Location: `${pathname}/`, 'Content-Length': 0 }).end()
      return
    }
    const isAsset = /\.[a-z0-9]{1,11}$/i.test(pathname)
    const file = found?.file ?? (isApp && !isAsset ? join(folder, 'index.html') : null)
    if (!file) {
      const body = '<!doctype html><title>Not found</title><h1>Not found</h1>'
      response.writeHead(404, { 'Content-Type': 'text/html', 'Content-Length': body.length })
      response.end(request.method === 'HEAD' ? undefined : body)
      return
    }
    const { size, mtime } = statSync(file)
    const etag = `W/"${size}-${mtime.getTime()}"`
    const headers = { ETag: etag, 'Last-Modified': mtime.toUTCString() }
    if (request.headers['if-none-match'] === etag) {
      response.writeHead(304, headers).end()
      return
    }
    response.writeHead(200, { ...headers, 'Content-Type': typeOf(file), 'Content-Length': size })
    if (request.method === 'HEAD') response.end()
    else createReadStream(file).pipe(response)
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    root: new URL(prefix, `http://127.0.0.1:${port}`),
    close() {
      server.closeAllConnections()
      return new Promise(done => server.close(() => done()))
    },
  }
}

/** Returns the media type of a file by its extension. */
export function typeOf(file: string): string {
  return types[extname(file).toLowerCase()] ?? 'application/octet-stream'
}

/**
 * Finds the file for a path: the file itself, with .html added, or the index file of the folder; null = none.
 *
 * @param path percent-encoded, with a leading slash
 */
export function findFile(folder: string, path: string): { file: string; isFolder: boolean } | null {
  const decoded = decode(path)
  if (decoded === null) return null
  const local = normalize(join(folder, decoded))
  if (local !== folder && !local.startsWith(folder + sep)) return null
  const bare = local.replace(/[/\\]$/, '')
  const candidates = decoded.endsWith('/')
    ? [{ file: join(local, 'index.html'), isFolder: false }]
    : [
        { file: bare, isFolder: false },
        { file: `${bare}.html`, isFolder: false },
        { file: join(bare, 'index.html'), isFolder: true },
      ]
  return candidates.find(({ file }) => isFile(file)) ?? null
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
  } catch {
    return false // such as a name that is too long for the file system
  }
}

function decode(path: string): string | null {
  try {
    const decoded = decodeURIComponent(path)
    return decoded.includes('\0') ? null : decoded
  } catch {
    return null
  }
}
