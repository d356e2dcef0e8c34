import { createHash } from 'node:crypto'
import { type RunningServer, startServer } from '../static-server.ts'

export interface VersionedSite extends RunningServer {
  /** Answers by path; a text that starts with `<` is a page. They may be changed at any time. */
  files: Record<string, string>
  /** `status path` of all answers, in order. Tests empty it to count from zero. */
  answered: string[]
}

/** A site whose files have ETags, unless `hasTags` is false. */
export async function startVersionedSite(files: Record<string, string>, hasTags = true): Promise<VersionedSite> {
  const site = { files: { ...files }, answered: [] as string[] }
  const server = await startServer((request, response) => {
    const path = request.url ?? '/'
    const body = site.files[path]
    const answer = (status: number, headers: Record<string, string>, text?: string) => {
      site.answered.push(`${status} ${path}`)
      response.writeHead(status, headers).end(text)
    }
    if (body === undefined) return answer(404, { 'content-type': 'text/html' }, '<h1>Not found</h1>')
    if (body.startsWith('redirect ')) return answer(302, { location: body.slice(9) })
    if (body.startsWith('status ')) return answer(Number(body.slice(7)), { 'content-type': 'text/plain' }, 'x')
    const tag = `"${createHash('sha256').update(body).digest('hex').slice(0, 8)}"`
    const headers: Record<string, string> = hasTags ? { etag: tag } : {}
    if (hasTags && request.headers['if-none-match'] === tag) return answer(304, headers)
    const type = path.endsWith('.css') ? 'text/css' : path.endsWith('.js') ? 'text/javascript' : 'text/plain'
    answer(200, { ...headers, 'content-type': body.startsWith('<') ? 'text/html; charset=utf-8' : type }, body)
  })
  return Object.assign(server, site)
}
