// Does the work of one walk with a number of items, in this process: node walk.ts page|request COUNT
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startThread } from '../../server/assets.ts'
import { defaultLimits, exportSite } from '../../server/export/export-site.ts'
import { openFetcher } from '../../server/web/fetch/fetcher.ts'
import { createPace } from '../../server/web/fetch/host-turns.ts'

const [walk, given] = process.argv.slice(2)
const count = Number(given)

/** A site whose first page links to all others; each has its own text, and no scripts. */
const server = createServer((request, response) => {
  const number = Number(/^\/(?:page-(\d+))?$/.exec(request.url ?? '')?.[1] ?? (request.url === '/' ? 0 : Number.NaN))
  if (!(number <= count)) {
    response.writeHead(404, { 'content-type': 'text/html' }).end('<title>Not found</title><p>There is no such page.')
    return
  }
  const links = Array.from(
    { length: number === 0 ? count : 0 },
    (_, at) => `<li><a href="/page-${at + 1}">Page ${at + 1}</a>`,
  )
  response
    .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    .end(
      `<!doctype html><title>Page ${number}</title><h1>Page ${number}</h1><p>Text number ${number}.<ul>${links.join('')}</ul>`,
    )
})
await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
const origin = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
const folder = mkdtempSync(join(tmpdir(), 'quire-walk-'))
const { signal } = new AbortController()
try {
  if (walk === 'page') await exportPages()
  else await requestPages()
} finally {
  server.closeAllConnections()
  server.close()
  rmSync(folder, { recursive: true, force: true })
}

async function exportPages(): Promise<void> {
  await exportSite({
    ...{ domain: 'docs.example.com', origin, originAllowed: true, allowNoSandbox: true, alsoAllowed: [] },
    ...{ paths: null, version: null, deployment: 'air-gapped', verify: 'static', format: 'zip' },
    features: { search: false, assistant: false, analytics: false, playground: false },
    outFile: join(folder, 'bundle.zip'),
    workFolder: join(folder, 'work'),
    limits: defaultLimits,
    onProgress() {},
    ...{ startThread, signal },
  })
}

async function requestPages(): Promise<void> {
  const pace = createPace({ maxRequests: () => defaultLimits.connections, exports: () => 1 })
  const totalExceeded = () => new Error('The site is too large.')
  const fetcher = openFetcher({ exempt: origin, limits: defaultLimits, totalExceeded, signal, pace })
  for (let number = 1; number <= count; number += 1) {
    const answer = await fetcher.open(new URL(`/page-${number}`, origin))
    await answer.read(1000)
  }
  await fetcher.close()
}
