import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { failIfProgramEnded } from './watched-programs.ts'

/** Serves a documentation site with the given number of pages on a free local port. */
export async function startSite(pages: number, { delayMs = 0 } = {}): Promise<{ url: string; close(): Promise<void> }> {
  const server: Server = createServer((req, res) => {
    const match = /^\/page-(\d+)\.html$/.exec(req.url ?? '')
    const page = req.url === '/' ? 0 : match ? Number(match[1]) : Number.NaN
    setTimeout(() => {
      if (!(page < pages)) {
        res
          .writeHead(404, { 'Content-Type': 'text/html' })
          .end('<!doctype html><title>Not found</title><p>There is no such page.')
        return
      }
      const next = page + 1 < pages ? `<a href="/page-${page + 1}.html">Next</a>` : ''
      const text = `<p>This is page ${page} of a small site, with enough unique words to differ from the others.</p>`
      res
        .writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' })
        .end(
          `<!doctype html><html><head><title>Page ${page}</title></head><body><h1>Page ${page}</h1>${text}${next}</body></html>`,
        )
    }, delayMs)
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () =>
      new Promise(done => {
        server.closeAllConnections()
        server.close(() => done())
      }),
  }
}

/** Calls `ask` every 50 ms until it returns an answer. Fails at once if a program of the test ends early. */
export async function waitFor<T>(ask: () => Promise<T | undefined>, withinMs = 60_000): Promise<T> {
  const endsAt = Date.now() + withinMs
  while (Date.now() < endsAt) {
    const answer = await ask()
    if (answer !== undefined) return answer
    failIfProgramEnded()
    await new Promise(done => setTimeout(done, 50))
  }
  throw new Error(`No answer within ${withinMs} ms.`)
}
