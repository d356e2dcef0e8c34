import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname } from 'node:path'
import { findFile, typeOf } from '../export/static-server.ts'

/** Pages of one copy. Larger sites have more copies, so the average page is the same in all sizes. */
export const pagesPerCopy = 500

export interface ReplicatedSite {
  root: URL
  close(): Promise<void>
}

export interface ReplicatedSiteOptions {
  /** Folder of the real site. */
  folder: string
  /** Paths of its pages as written in its links, sorted; the first ones are used. */
  pages: readonly string[]
  /** Number of pages of the replicated site, a multiple of the pages of a copy. */
  pageCount: number
}

/**
 * Serves copies of a real site under /1/, /2/ ... on a free local port; each page links to the same page of the next copy.
 * Pages beyond the requested number answer 404.
 */
export async function serveReplicated({ folder, pages, pageCount }: ReplicatedSiteOptions): Promise<ReplicatedSite> {
  const perCopy = Math.min(pagesPerCopy, pages.length, pageCount)
  const copies = Math.floor(pageCount / perCopy)
  const served = new Set(pages.slice(0, perCopy).map(withoutIndex))
  // Some pages are not linked from another page, so the first page links to all pages of one copy.
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
      // Every page has different bytes, as real pages have.
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
