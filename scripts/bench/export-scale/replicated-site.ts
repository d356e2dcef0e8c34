import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname } from 'node:path'
import { findFile, typeOf } from '../export/static-server.ts'

/** Pages of one copy; further pages are those of further copies, so that pages weigh the same on average in every size. */
export const pagesPerCopy = 500

export interface ReplicatedSite {
  root: URL
  close(): Promise<void>
}

export interface ReplicatedSiteOptions {
  /** Folder of the real site. */
  folder: string
  /** Its pages as its links write them, sorted; the first of them are used. */
  pages: readonly string[]
  /** How many pages the replicated site has, a multiple of what a copy has. */
  pageCount: number
}

/**
 * Serves a real site again and again under /1/, /2/ ... on a free port of this machine, each page with a link to its twin in
 * the next copy. Pages past the number asked for answer 404, and so do links to them.
 */
export async function serveReplicated({ folder, pages, pageCount }: ReplicatedSiteOptions): Promise<ReplicatedSite> {
  const perCopy = Math.min(pagesPerCopy, pages.length, pageCount)
  const copies = Math.floor(pageCount / perCopy)
  const served = new Set(pages.slice(0, perCopy).map(withoutIndex))
  // Not every page is linked from another: the first page leads to all of one copy, and those to their twins.
  const links = [...served].map(path => `<li><a href="/1${path}">${path}</a></li>`)
  const entrance = Buffer.from(`<!doctype html><title>All pages</title><h1>All pages</h1><ul>${links.join('\n')}</ul>`)
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://replicated.invalid')
    const [, number, path = ''] = /^\/(\d{1,4})(\/.*)$/.exec(pathname) ?? []
    const copy = Number(number)
    const found = copy >= 1 && copy <= copies ? findFile(folder, path) : null
    if (pathname === '/') {
      response.writeHead(200, { 'Content-Type': 'text/html', 'Content-Length': entrance.length }).end(entrance)
      return
    }
    if (!found || (extname(found.file) === '.html' && !served.has(withoutIndex(path)))) {
      response.writeHead(404, { 'Content-Type': 'text/html' }).end('<!doctype html><title>Not found</title>')
      return
    }
    let body = await readFile(found.file)
    if (extname(found.file) === '.html') {
      // Bytes of its own for every page, as real pages have.
      const next = `<p>Copy ${copy}: <a href="/${(copy % copies) + 1}${path}">the same page of the next copy</a></p></body>`
      body = Buffer.from(body.toString('latin1').replace('</body>', next), 'latin1')
    }
    response.writeHead(200, { 'Content-Type': typeOf(found.file), 'Content-Length': body.length }).end(body)
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    root: new URL(`http://127.0.0.1:${port}/`),
    close() {
      server.closeAllConnections()
      return new Promise(done => server.close(() => done()))
    },
  }
}

function withoutIndex(path: string): string {
  return path.replace(/\/index\.html$/, '/')
}
