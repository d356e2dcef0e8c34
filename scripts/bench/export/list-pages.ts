import { Parser } from 'htmlparser2'

/** A page of the origin, found by a plain crawl. */
export interface OriginPage {
  /** Percent-encoded path, as the origin answers it after redirects. */
  path: string
  /** Size of its HTML. */
  bytes: number
}

const connections = 6
const maxPages = 4000

/**
 * Lists the pages that links lead to, and those of the site map. Uses nothing of the exporter, so that both do not overlook the
 * same page. A page is an answer 200 with HTML at or below the folder of the start page. Queries are left out.
 *
 * @param root address of the host, with a trailing slash
 * @param start path of the start page
 * @param known paths to begin with besides the start page
 */
export async function listPages(root: string, start: string, known: readonly string[] = []): Promise<OriginPage[]> {
  const scope = start.replace(/[^/]*$/, '')
  const found = new Map<string, OriginPage>()
  const seen = new Set<string>()
  const queue: string[] = []
  const add = (path: string) => {
    const key = pageKey(path)
    if (!path.startsWith(scope) || seen.has(key) || seen.size >= maxPages) return
    seen.add(key)
    queue.push(path)
  }
  for (const path of [start, ...known, ...(await readSitemap(root))]) add(path)
  const visit = async (path: string) => {
    const answer = await fetch(new URL(path, root)).catch(() => undefined)
    if (!answer) return
    const { pathname, origin } = new URL(answer.url)
    const isPage = answer.ok && /^(text\/html|application\/xhtml)/.test(answer.headers.get('content-type') ?? '')
    if (!isPage || new URL(root).origin !== origin || !pathname.startsWith(scope)) {
      await answer.body?.cancel()
      return
    }
    seen.add(pageKey(pathname))
    const html = await answer.text()
    found.set(pageKey(pathname), { path: pathname, bytes: html.length })
    for (const link of listLinks(html, answer.url)) add(link)
  }
  const work = async () => {
    for (let path = queue.shift(); path !== undefined; path = queue.shift()) await visit(path)
  }
  // Workers end while the queue is empty, so they are started until no visit adds a page.
  while (queue.length > 0) await Promise.all(Array.from({ length: connections }, work))
  return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Reduces the usual spellings of a page's path to one: `/a`, `/a/`, `/a.html` and `/a/index.html` are the same page. */
export function pageKey(path: string): string {
  const decoded = (() => {
    try {
      return decodeURIComponent(path)
    } catch {
      return path
    }
  })()
  return (
    decoded
      .replace(/\.html?$/i, '')
      .replace(/\/index$/, '')
      .replace(/\/$/, '') || '/'
  )
}

/** Lists the paths on the same host that links and frames of a page lead to. */
export function listLinks(html: string, address: string): string[] {
  const { origin } = new URL(address)
  let base = address
  const paths = new Set<string>()
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === 'base' && attributes.href) base = URL.parse(attributes.href, address)?.href ?? base
      const isLink = name === 'a' || name === 'area'
      const isFrame = name === 'iframe' || name === 'frame'
      const isRefresh = name === 'meta' && /^refresh$/i.test(attributes['http-equiv'] ?? '')
      const target = isLink
        ? attributes.href
        : isFrame
          ? attributes.src
          : isRefresh
            ? /url\s*=\s*['"]?([^'"]+)/i.exec(attributes.content ?? '')?.[1]
            : undefined
      const url = target === undefined ? null : URL.parse(target.trim(), base)
      if (url?.origin === origin) paths.add(url.pathname)
    },
  })
  parser.end(html)
  return [...paths]
}

async function readSitemap(root: string): Promise<string[]> {
  const answer = await fetch(new URL('sitemap.xml', root)).catch(() => undefined)
  if (!answer?.ok || !/xml/.test(answer.headers.get('content-type') ?? '')) {
    await answer?.body?.cancel()
    return []
  }
  return [...(await answer.text()).matchAll(/<loc>\s*([^<]+?)\s*<\/loc>/g)].flatMap(([, address]) => {
    const url = URL.parse(address ?? '')
    return url?.host === new URL(root).host ? [url.pathname] : []
  })
}
