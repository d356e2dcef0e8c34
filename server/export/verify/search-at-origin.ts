import { digestJson } from '../../base/digest.ts'
import type { Answerer, BrowserAnswer, BrowserRequest } from '../../web/browser/browser-request.ts'
import type { SearchUse } from '../../web/browser/use-search.ts'
import { readMainHeading, readPageHead } from '../../web/html/page-head.ts'
import { readPageWords } from '../../web/html/page-text.ts'
import type { ViewCache } from '../cache/view-cache.ts'
import type { CollectedSite } from '../crawl/crawl-tools.ts'
import { linkKey } from '../model/site.ts'
import { readSpan } from '../pages/page-work.ts'
import { spread } from './pick-pages.ts'
import type { SeenSite } from './place-scripts.ts'
import type { ScriptedPage } from './sample-pages.ts'
import { chooseSearchWords, unknownWord } from './search-words.ts'

/** A search of the site that works at the origin. */
export interface OriginSearch {
  /** The page on which it was used. */
  scripted: ScriptedPage
  use: UsedSearch
}

interface UsedSearch extends SearchUse {
  /** The path on the server of the site that would find hits; null = the search finds them itself. */
  server: string | null
}

export interface OriginSearchOptions {
  collected: Pick<CollectedSite, 'site' | 'pages'>
  /** Answers the requests of pages. */
  answer: Answerer
  views: ViewCache
}

/** Hits are counted up to this number. A search that loads every page with a hit would take the time of the check. */
const enoughHits = 50
/** How many words are compared. */
export const comparedWords = 3
/** Max pages tried. The first one may show its field only to some readers. */
const maxPages = 2
const maxHeadingWords = 12
/** Max titles from which words are chosen. */
const maxTitles = 16
/** Shorter parts of a word may be anything, such as a language. */
const minLetters = 3

/**
 * Uses the search of a site at its origin. Returns null when there is none, or when it finds nothing. The words are never
 * sent, so a search on the server of the site finds nothing, but it tells its path.
 */
export async function searchAtOrigin(
  options: OriginSearchOptions,
  seen: SeenSite,
  words: readonly string[],
): Promise<OriginSearch | null> {
  if (words.length === 0) return null
  // Listed first, because pages may be added to the looks meanwhile.
  for (const scripted of listSearchPages(seen).slice(0, maxPages)) {
    const use = await searchOn({ ...options, viewer: seen.viewer }, scripted, words)
    if (!use) continue
    if (use.words.some(({ hits }) => hits > 0)) return { scripted, use: { ...use, server: null } }
    return use.server === null ? null : { scripted, use }
  }
  return null
}

/** Decides whether one of the pages that were opened so far has a search. */
export function showsSearch({ scripted, looks }: Pick<SeenSite, 'scripted' | 'looks'>): boolean {
  return scripted.some(({ page }) => looks.get(page.key)?.hasSearch)
}

/** Chooses words to search for. Without titles, there are none. */
export async function readSearchWords(seen: Pick<SeenSite, 'scripted' | 'looks'>): Promise<string[]> {
  const pages = await readTitles(seen)
  return chooseSearchWords(
    pages.map(({ title }) => title),
    pages.map(({ text }) => text),
  )
}

/**
 * Reads the titles and texts of pages spread over the site, also of pages that were not opened: the few that were may be lists, whose
 * titles are no names. If all pages have one title, which names the site, their headings are their titles.
 */
async function readTitles({
  scripted,
  looks,
}: Pick<SeenSite, 'scripted' | 'looks'>): Promise<{ title: string; text: string }[]> {
  const read: { title: string | null; heading: string; text: string }[] = []
  for (const { page } of spread(scripted, maxTitles)) {
    if (!page.span) continue
    const raw = { text: (await readSpan(page.span)).toString('latin1'), charset: page.charset }
    const words = looks.get(page.key)?.headingWords ?? []
    const heading = readMainHeading(raw) ?? words.slice(0, maxHeadingWords).join(' ')
    read.push({ title: readPageHead(raw).title, heading, text: readPageWords(raw).join(' ').toLowerCase() })
  }
  const isAlike = read.length > 1 && new Set(read.map(({ title }) => title)).size === 1
  return read.map(({ title, heading, text }) => ({ title: isAlike ? heading : (title ?? heading), text }))
}

/** Lists the pages with a search, one for each set of scripts, largest set first; else the page named like a search page. */
function listSearchPages({ scripted, looks }: Pick<SeenSite, 'scripted' | 'looks'>): ScriptedPage[] {
  const counts = new Map<string, number>()
  const found = new Map<string, ScriptedPage>()
  for (const each of scripted) {
    const template = each.page.template ?? ''
    counts.set(template, (counts.get(template) ?? 0) + 1)
    if (looks.get(each.page.key)?.hasSearch && !found.has(template)) found.set(template, each)
  }
  const named = scripted.find(({ page }) => /\/search(?:\.x?html?|\/)?$/i.test(page.url.pathname))
  if (found.size === 0) return named ? [named] : []
  return [...found].sort(([a], [b]) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0)).map(([, each]) => each)
}

async function searchOn(
  { collected, answer, views, viewer }: OriginSearchOptions & Pick<SeenSite, 'viewer'>,
  { page, app }: ScriptedPage,
  words: readonly string[],
): Promise<UsedSearch | null> {
  const task = { unknown: unknownWord, words: words.map(word => ({ word, enough: enoughHits })), wanted: comparedWords }
  // The search may lead to any page of the site.
  const pages = [...collected.pages].map(([key, outcome]) => [key, outcome.state === 'page' && outcome.resource.sha256])
  const subject = { view: 'search', url: page.url, pages: digestJson(pages.sort()), task }
  const body = await readPage(app ?? page)
  const all = [unknownWord, ...words]
  return views.see(subject, withoutWords(answer, all), async answer => {
    let server: string | null = null
    const use = await viewer.search(
      page.url.href,
      async request => {
        const url = new URL(request.url)
        if (!request.isNavigation) {
          if (hasWord(url, all) || sendsWord(request, all)) server ??= collected.site.own(url)?.pathname ?? null
          return answer(request)
        }
        if (linkKey(url) === linkKey(page.url)) return body
        const known = collected.pages.get(linkKey(collected.site.own(url) ?? url))
        return known?.state === 'page' && known.resource.span ? readPage(known.resource) : answer(request)
      },
      task,
    )
    return use && { ...use, server }
  })
}

/** Reads a page as it is stored: without the products that the bundle cannot have. */
async function readPage({ span, type, charset }: ScriptedPage['page']): Promise<BrowserAnswer | null> {
  if (!span) return null
  return { status: 200, headers: { 'content-type': `${type}; charset=${charset}` }, body: await readSpan(span) }
}

/** Returns an answerer that never sends the words of a search to a server, which would count them or search itself. */
function withoutWords(answer: Answerer, words: readonly string[]): Answerer {
  return request => {
    const url = new URL(request.url)
    if (hasWord(url, words)) url.search = ''
    return answer({ ...request, url: url.href })
  }
}

/** Decides whether a request that no export sends, such as a POST, would send a word. */
function sendsWord({ sent }: BrowserRequest, words: readonly string[]): boolean {
  const text = sent?.toLowerCase() ?? ''
  return words.some(word => text.includes(word.toLowerCase()))
}

/** Decides whether a query contains a word, or its first letters: a search may answer while a person types. */
function hasWord({ searchParams }: URL, words: readonly string[]): boolean {
  const values = [...searchParams].flat().map(value => value.toLowerCase())
  return values.some(value => value.length >= minLetters && words.some(word => word.toLowerCase().startsWith(value)))
}
