import type { ExportError } from '../../../server/export/model/export-error.ts'
import type { ExportLimits } from '../../../server/export/model/limits.ts'
import { type Exported, exportFakeSite, page } from '../fake-site.ts'
import { startServer } from '../static-server.ts'

/** The answer of a site: a page, or bytes of a type; undefined = 404, null = it never answers. */
type Answer = string | { body?: string | Buffer; type?: string; status?: number; location?: string; delayMs?: number }
export type LimitedSite = (path: string) => Answer | null | undefined

export interface Outcome {
  /** Undefined when the export ended with an error. */
  exported?: Exported
  error?: ExportError
  /** Max parallel requests. */
  maxOpen: number
  requests: string[]
}

/** Exports a site with these limits, and records the requests. */
export async function exportLimited(site: LimitedSite, limits: Partial<ExportLimits>): Promise<Outcome> {
  let open = 0
  let maxOpen = 0
  const server = await startServer((request, response) => {
    open += 1
    maxOpen = Math.max(maxOpen, open)
    response.on('close', () => {
      open -= 1
    })
    const found = site(request.url ?? '/')
    if (found === null) return
    const answer = typeof found === 'string' ? { body: found } : (found ?? { status: 404, body: '<h1>Not found</h1>' })
    setTimeout(() => {
      const location = answer.location ? { location: answer.location } : {}
      response
        .writeHead(answer.status ?? 200, { 'content-type': answer.type ?? 'text/html', ...location })
        .end(answer.body)
    }, answer.delayMs ?? 0)
  })
  const outcome = await exportFakeSite(server.origin, { limits })
    .then(
      exported => ({ exported }),
      error => ({ error }),
    )
    .finally(() => server.close())
  return { ...outcome, maxOpen, requests: server.requests }
}

export const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
export const withLinks = (count: number) =>
  numbers(count)
    .map(index => `<a href="/p${index}">x</a>`)
    .join('')
export const withImages = (count: number) =>
  numbers(count)
    .map(index => `<img src="/${index}.png">`)
    .join('')
export const png = (bytes: number) => ({ body: Buffer.alloc(bytes, 'x'), type: 'image/png' })
/** A site with numbered pages and nothing else. */
export const numbered: LimitedSite = path => (/^\/p\d+$/.test(path) ? page(path) : undefined)
/** A home page that links to ten pages. The first `failures` of them fail, the last one with another status. */
export const withFailures =
  (failures: number): LimitedSite =>
  path => {
    const number = /^\/p(\d+)$/.exec(path)?.[1]
    if (path === '/') return page('home', withLinks(10))
    if (number === undefined || Number(number) >= failures) return numbered(path)
    return { status: Number(number) === failures - 1 ? 508 : 500 }
  }
/** A home page and a page that fails as often before it works. */
export function failingFirst(failures: number): LimitedSite {
  let left = failures
  return path => {
    if (path === '/') return page('home', '<a href="/a">a</a>')
    if (path !== '/a') return undefined
    left -= 1
    return left >= 0 ? { status: 500 } : page('a')
  }
}
export const endlessSoft404: LimitedSite = path =>
  path === '/'
    ? page('home', withLinks(400))
    : `<title>Oops</title><p>Sorry, this is the page that nobody has ever found here.${withLinks(400)}`
