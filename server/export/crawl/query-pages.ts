import { keepSmallestKeys } from '../../base/bounded-map.ts'
import { isTellingQuery, linkKey, queryKey } from '../model/site.ts'
import type { CrawlState } from './crawl-state.ts'

/** Finds the paths whose pages only a query tells apart, such as /index.php?title=Install. */
export interface QueryPages {
  /** Hears of a link with a query, as long as its path is not known to be such a one. */
  note(url: URL): void
  /** Links whose query was left out, sorted: their page without it is what is exported. Of many, the first. */
  folded(): string[]
  /** The links that are worth asking for with their query, now that what was asked for is here. */
  next(): Promise<URL[]>
}

/** So many queries are tried on a path that is no page without one, before the others are followed. */
const maxTries = 3
/** So many links whose query was left out are remembered. */
export const maxFolded = 1000
/** So many are remembered of a path until it is known what it is. */
const maxWaiting = 1000

/**
 * A query makes no page of its own where the path without it is one: it sorts, counts or tracks. Where the path alone is
 * not there, or leads to itself with a query, queries are tried, and all of them followed when one gives a page.
 */
export function createQueryPages(state: Pick<CrawlState, 'pages' | 'queried' | 'fetcher' | 'isAllowed'>): QueryPages {
  const waiting = new Map<string, Map<string, URL>>()
  const tried = new Map<string, string[]>()
  const closed = new Set<string>()
  const withQuery = new Map<string, string>()

  /** Null = not known yet. */
  async function needsQuery(key: string): Promise<boolean | null> {
    const outcome = state.pages.get(key)
    if (outcome?.state === 'missing') return true
    if (outcome?.state !== 'page') return outcome ? false : null
    const { url } = outcome.resource
    if (!isTellingQuery(url)) return false
    // A redirect took us there, perhaps from elsewhere: /login?next=/a says nothing about /login.
    const plain = new URL(url)
    plain.search = ''
    if (!state.isAllowed(plain)) return false
    const landed = await state.fetcher.open(plain).then(
      async answer => {
        await answer.drop()
        return answer.url
      },
      () => null,
    )
    if (!landed || linkKey(landed) !== key || !isTellingQuery(landed)) return false
    // What is kept under the path is that page.
    state.pages.set(queryKey(url), { state: 'redirect', to: key })
    return true
  }

  function open(key: string): URL[] {
    state.queried.add(key)
    const urls = [...(waiting.get(key)?.values() ?? [])]
    waiting.delete(key)
    return urls
  }

  function close(key: string): URL[] {
    closed.add(key)
    waiting.delete(key)
    return []
  }

  async function decide(key: string, urls: Map<string, URL>): Promise<URL[]> {
    const before = tried.get(key)
    if (before) return before.some(query => isPage(query)) ? open(key) : close(key)
    const needs = await needsQuery(key)
    if (needs === null) return []
    if (!needs) return close(key)
    if (state.pages.get(key)?.state === 'page') return open(key)
    const tries = [...urls.keys()].sort().slice(0, maxTries)
    tried.set(key, tries)
    return tries.flatMap(query => urls.get(query) ?? [])
  }

  function isPage(query: string): boolean {
    const outcome = state.pages.get(query)
    return outcome?.state === 'page' || (outcome?.state === 'redirect' && state.pages.get(outcome.to)?.state === 'page')
  }

  return {
    note(url) {
      const key = linkKey(url)
      if (!isTellingQuery(url)) return
      withQuery.set(queryKey(url), key)
      keepSmallestKeys(withQuery, maxFolded)
      if (closed.has(key)) return
      const urls = waiting.get(key) ?? new Map<string, URL>()
      waiting.set(key, urls)
      urls.set(queryKey(url), url)
      keepSmallestKeys(urls, maxWaiting)
    },
    folded() {
      const isFolded = (key: string) => state.pages.get(key)?.state === 'page' && !state.queried.has(key)
      const found = [...withQuery].flatMap(([query, key]) => (isFolded(key) ? [query] : []))
      return found.sort().slice(0, maxFolded)
    },
    async next() {
      const found: URL[] = []
      for (const [key, urls] of [...waiting].sort(([a], [b]) => (a < b ? -1 : 1)))
        found.push(...(await decide(key, urls)))
      return found
    },
  }
}
