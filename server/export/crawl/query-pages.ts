import { keepSmallestKeys } from '../../base/bounded-map.ts'
import { FetchError } from '../../web/fetch/fetch-error.ts'
import { readPageHead } from '../../web/html/page-head.ts'
import { countMissing, readPageWords } from '../../web/html/page-text.ts'
import { headerCharset, readRawText } from '../../web/html/text-encoding.ts'
import type { Resource } from '../model/resource.ts'
import { isTellingQuery, linkKey, queryKey, queryTarget } from '../model/site.ts'
import { readSpan } from '../pages/page-work.ts'
import type { CrawlTools, MutableSite } from './crawl-tools.ts'

/** Finds the paths where every query is a separate page, such as /index.php?title=Install. */
export interface QueryPages {
  /** Records a link with a query, on a path that is not yet known to have a page per query; `key` is its linkKey. */
  note(key: string, url: URL): void
  /** Returns the first 1,000 links, sorted, whose query was dropped because it selects no separate page. */
  folded(): string[]
  /** Returns the links to visit with their query, based on the outcomes so far. */
  next(): Promise<URL[]>
}

/** Max queries tried on a path that is not a page by itself, before the other queries are followed. */
const maxQueryTries = 3
/** Max links kept whose query was dropped. */
export const maxFolded = 1000
/** Max links kept per undecided path, and for a page until it is known whether the page is an app. */
export const maxWaiting = 1000
/** Max sets of parameters that are tried on paths that are pages. */
const maxVariantKinds = 30

type QueryTools = Pick<CrawlTools, 'fetcher' | 'isAllowed' | 'exclusions' | 'limits'>
type QuerySite = Pick<MutableSite, 'pages' | 'queried'>

interface Queries {
  tools: QueryTools
  found: QuerySite
  /** Links of undecided paths, by the key of the path and of the query. */
  waiting: Map<string, Map<string, URL>>
  /** Keys of the queries tried, by the key of the path. */
  tried: Map<string, string[]>
  /** Keys of paths whose queries make no pages. */
  closed: Set<string>
  /** The key of the path for each key of a query. */
  paths: Map<string, string>
  /** What is known of the queries with these parameters on paths that are pages, by the names of the parameters. */
  variants: Map<string, VariantKind>
}

interface VariantKind {
  /** Keys of the queries that showed the same text as the path alone. */
  same: Set<string>
  /** Whether one of them showed another page. */
  isPage: boolean
}

/**
 * Creates the finder. If the path without a query is a page, some queries of each set of parameters are tried. If one of them
 * shows another page, those with these parameters are followed; otherwise they only sort, count or track, and are ignored. If
 * the path alone is missing, or redirects to itself with a query, a few queries are tried. If one of them returns a page, all
 * are followed.
 */
export function createQueryPages(tools: QueryTools, found: QuerySite): QueryPages {
  const queries: Queries = {
    tools,
    found,
    waiting: new Map(),
    tried: new Map(),
    closed: new Set(),
    paths: new Map(),
    variants: new Map(),
  }
  return {
    note: (key, url) => note(queries, key, url),
    folded() {
      const isFolded = (key: string) => found.pages.get(key)?.state === 'page' && !found.queried.has(key)
      const folded = [...queries.paths].flatMap(([query, key]) =>
        isFolded(key) && !found.pages.has(query) ? [query] : [],
      )
      return folded.sort().slice(0, maxFolded)
    },
    async next() {
      const links: URL[] = []
      for (const [key, urls] of [...queries.waiting].sort(([a], [b]) => (a < b ? -1 : 1)))
        for (const link of await decide(queries, key, urls)) links.push(link)
      return links
    },
  }
}

function note({ waiting, closed, paths }: Queries, key: string, url: URL): void {
  if (!isTellingQuery(url)) return
  paths.set(queryKey(url), key)
  keepSmallestKeys(paths, maxFolded)
  if (closed.has(key)) return
  const urls = waiting.get(key) ?? new Map<string, URL>()
  waiting.set(key, urls)
  urls.set(queryKey(url), url)
  keepSmallestKeys(urls, maxWaiting)
}

/** Returns the links of a path to visit now. */
async function decide(queries: Queries, key: string, urls: Map<string, URL>): Promise<URL[]> {
  const { found, tried } = queries
  const before = tried.get(key)
  if (before) return before.some(query => isPage(found, query)) ? openPath(queries, key) : closePath(queries, key)
  const needs = await needsQuery(queries, key)
  if (needs === null) return []
  const outcome = found.pages.get(key)
  if (!needs)
    return outcome?.state === 'page' ? chooseVariants(queries, outcome.resource, urls) : closePath(queries, key)
  if (outcome?.state === 'page') return openPath(queries, key)
  const tries = [...urls.keys()].sort().slice(0, maxQueryTries)
  tried.set(key, tries)
  return tries.flatMap(query => urls.get(query) ?? [])
}

function isPage({ pages }: QuerySite, query: string): boolean {
  const outcome = pages.get(query)
  return outcome?.state === 'page' || (outcome?.state === 'redirect' && pages.get(outcome.to)?.state === 'page')
}

/** Decides whether a path returns pages only with a query. Null = not known yet. */
async function needsQuery({ tools, found }: Queries, key: string): Promise<boolean | null> {
  const outcome = found.pages.get(key)
  if (outcome?.state === 'missing') return true
  if (outcome?.state !== 'page') return outcome ? false : null
  const { url } = outcome.resource
  if (!isTellingQuery(url)) return false
  // The redirect may come from another path: /login?next=/a does not show that /login needs a query.
  const plain = new URL(url)
  plain.search = ''
  if (!tools.isAllowed(plain)) return false
  const landed = await findLanding(tools, plain)
  if (!landed || linkKey(landed) !== key || !isTellingQuery(landed)) return false
  // The page stored under the path is the page of this query.
  found.pages.set(queryKey(url), { state: 'redirect', to: key })
  return true
}

/** Returns the URL after redirects; null when the request fails. */
async function findLanding({ fetcher }: QueryTools, url: URL): Promise<URL | null> {
  const answer = await fetcher.open(url).catch(() => null)
  await answer?.drop()
  return answer?.url ?? null
}

/** Treats every query on this path as a page from now on. Returns the waiting links. */
function openPath({ found, waiting }: Queries, key: string): URL[] {
  found.queried.add(key)
  const urls = [...(waiting.get(key)?.values() ?? [])]
  waiting.delete(key)
  return urls
}

/** Ignores all queries on this path from now on. */
function closePath({ waiting, closed }: Queries, key: string): [] {
  closed.add(key)
  waiting.delete(key)
  return []
}

/** Parameters that choose an order, an action or the next address, and not a page. */
const presenting =
  /^(?:sort|order|dir|direction|action|do|edit|print|printable|diff|oldid|rev|replytocom|_?highlight|next|continue|redirect\w*|return\w*)$/i

/** Returns the links whose query shows another page than the path alone. */
async function chooseVariants(queries: Queries, plain: Resource, urls: Map<string, URL>): Promise<URL[]> {
  const { waiting, variants } = queries
  waiting.delete(plain.key)
  const chosen: URL[] = []
  for (const [query, url] of [...urls].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const names = [...new Set(queryTarget(url).searchParams.keys())].sort()
    const kind = variants.get(names.join()) ?? { same: new Set(), isPage: false }
    if (variants.size >= maxVariantKinds && !variants.has(names.join())) continue
    if (names.length === 0 || names.some(name => presenting.test(name))) continue
    variants.set(names.join(), kind)
    if (!kind.isPage && kind.same.size < maxQueryTries && !kind.same.has(query)) {
      kind.isPage = await isOtherPage(queries.tools, url, plain)
      if (!kind.isPage) kind.same.add(query)
    }
    if (kind.isPage) chosen.push(url)
  }
  return chosen
}

/** Share of new words, and their number, from which a page with the same title is another page. */
const minNewShare = 0.1
const minNewWords = 10

/** Decides whether a query answers with another page than the path alone: another title, or text that the other lacks. */
async function isOtherPage(tools: QueryTools, url: URL, plain: Resource): Promise<boolean> {
  if (!tools.isAllowed(url) || tools.exclusions.has(url) || plain.rendered || !plain.span) return false
  try {
    const answer = await tools.fetcher.open(queryTarget(url), 'text/html')
    if (answer.status !== 200 || answer.redirected || answer.type !== 'text/html') {
      await answer.drop()
      return false
    }
    const other = readRawText(await answer.read(tools.limits.pageBytes), headerCharset(answer.contentType))
    const raw = { text: (await readSpan(plain.span)).toString('latin1'), charset: plain.charset }
    if (readPageHead(other).title !== readPageHead(raw).title) return true
    const words = readPageWords(other)
    return countMissing(words, readPageWords(raw)) >= Math.max(minNewWords, words.length * minNewShare)
  } catch (error) {
    if (error instanceof FetchError) return false
    throw error
  }
}
