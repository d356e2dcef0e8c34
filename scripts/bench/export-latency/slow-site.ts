import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What the site saw of one copy. */
export interface SiteCounts {
  requests: number
  /** Max requests under way at once. */
  mostOpen: number
}

/** A message of the parent process. */
export type SiteOrder = 'count'

const [pages = 500, delayMs = 200, workMs = 0] = process.argv.slice(2).map(Number)

const paths = Array.from({ length: pages }, (_, index) => (index === 0 ? '/' : `/guide/page-${index}.html`))
/** Pages of one section. The navigation of a page lists its section, and the first page of each section. */
const sectionSize = 25

function writeNavigation(page: number): string {
  const isListed = (index: number) =>
    index % sectionSize === 0 || Math.floor(index / sectionSize) === Math.floor(page / sectionSize)
  const items = paths.map((path, index) => (isListed(index) ? `<li><a href="${path}">Page ${index}</a></li>` : ''))
  return `<nav><ul>${items.join('')}</ul></nav>`
}

function writePage(index: number): string {
  const navigation = writeNavigation(index)
  const text = `<p>${`This is sentence number ${index} of a page about topic ${index % 17}. `.repeat(40)}</p>`
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Page ${index}</title><link rel="stylesheet" href="/style.css"></head><body>${navigation}<main><h1>Page ${index}</h1>${text}</main></body></html>`
}

let counts: SiteCounts = { requests: 0, mostOpen: 0 }
let open = 0

/** Uses the processor, so that other answers wait. */
function work(): void {
  const endsAt = performance.now() + workMs
  while (performance.now() < endsAt);
}

const server = createServer((request, response) => {
  counts.requests += 1
  open += 1
  counts.mostOpen = Math.max(counts.mostOpen, open)
  response.on('close', () => {
    open -= 1
  })
  setTimeout(() => {
    work()
    const index = paths.indexOf(request.url ?? '')
    if (index !== -1) response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(writePage(index))
    else if (request.url === '/style.css') response.writeHead(200, { 'content-type': 'text/css' }).end('body{margin:0}')
    else response.writeHead(404, { 'content-type': 'text/html' }).end('<!doctype html><title>404</title>No such page.')
  }, delayMs)
})
process.on('message', (order: SiteOrder) => {
  if (order !== 'count') return
  process.send?.(counts)
  counts = { requests: 0, mostOpen: open }
})
process.on('disconnect', () => process.exit())
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
