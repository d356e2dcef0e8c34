import { chooseLink, clickLink, isSamePage } from './click-link.ts'
import { expandReferences } from './expand-references.ts'
import { listPages, type OriginPage, pageKey } from './list-pages.ts'
import { lookAt, type PageLook } from './look-at-page.ts'
import { originPlace, type Place } from './place.ts'
import { pressTab, type WorkingTab } from './press-tab.ts'
import { pressTheme } from './press-theme.ts'
import { samplePages } from './sample-pages.ts'
import type { Site } from './site.ts'
import { countHits } from './use-search.ts'
import { subtractWords } from './visible-words.ts'
import type { Visitor } from './visitor.ts'

/** What the origin has and does, to compare bundles with. */
export interface Reference {
  pages: OriginPage[]
  sampled: { path: string; look: OriginLook }[]
  /** A link that works at the origin: the page with it, the page behind it, and what a reader then sees; absent = none. */
  click?: { from: string; key: string; words: string[] }
  /** A page whose theme button works; absent = the site has none. */
  themePage?: string
  /** A page whose first unselected tab works, and what it shows; absent = the site has none. */
  tab?: WorkingTab & { path: string }
  /** Number of hits for each query; absent = the site has no search, or it finds nothing. */
  hits?: number[]
}

/** `words` are those that two visits showed, and `allWords` those that one of them showed. */
interface OriginLook extends PageLook {
  allWords: string[]
}

export interface ReadOptions {
  site: Site
  /** Address of the host, with a trailing slash. */
  root: string
  /** Paths of pages that no crawl of the HTML finds. */
  known: readonly string[]
  visitor: Visitor
  /** Number of pages to open. */
  sampleSize: number
}

/** @throws {Error} when no page loads. */
export async function readOrigin({ site, root, known, visitor, sampleSize }: ReadOptions): Promise<Reference> {
  const start = site.start ?? '/'
  const place = originPlace(root)
  const pages = await listPages(root, start, known)
  if (pages.length === 0) throw new Error(`The start page of ${site.name} is no page.`)
  const first = pages.find(({ path }) => pageKey(path) === pageKey(start))?.path ?? pages[0]?.path ?? start
  const reference: Reference = { pages, sampled: [] }
  // A page that does not load at the origin, such as a whole book for printing, cannot be compared. Another one is.
  for (const path of samplePages(pages, first, sampleSize + 3)) {
    if (reference.sampled.length >= sampleSize) break
    const look = await lookTwice(path, place, { site, visitor }).catch(() => undefined)
    if (look) reference.sampled.push({ path, look })
  }
  if (reference.sampled.length === 0) throw new Error(`No page of ${site.name} loads at the origin.`)
  // Start pages often have no menu, so the others come first.
  const paths = reference.sampled.map(({ path }) => path)
  const order = [...paths.slice(2), ...paths.slice(0, 2)]
  const keys = new Set(pages.map(({ path }) => pageKey(path)))
  const click = await findClick(order, { place, visitor, keys })
  if (click) reference.click = click
  const themePage = await findTheme(order, { place, visitor, site })
  if (themePage !== undefined) reference.themePage = themePage
  for (const path of paths.slice(0, 2)) {
    const { acted: tab } = await visitor.visit(place.addressOf(path) ?? '', place.host, pressTab)
    if (tab && tab.words.length > 0) reference.tab ??= { path, ...tab }
  }
  if (site.search) {
    const hits = await countHits(site.search, place, visitor)
    if (hits.some(count => count > 0)) reference.hits = hits
  }
  return reference
}

/** Opens a page twice. Words that only one visit shows, such as the time of day, are not compared. */
async function lookTwice(
  path: string,
  place: Place,
  { site, visitor }: { site: Site; visitor: Visitor },
): Promise<OriginLook> {
  const prepare = site.isReference ? expandReferences : undefined
  const look = () => lookAt(place.addressOf(path) ?? '', { place, visitor, hydrated: site.hydrated, prepare })
  const first = await look()
  const second = await look()
  const unstable = subtractWords(first.words, second.words)
  const both = (a: readonly string[], b: readonly string[]) => [...new Set([...a, ...b])]
  return {
    words: subtractWords(first.words, unstable),
    allWords: [...first.words, ...subtractWords(second.words, first.words)],
    frameworks: second.frameworks,
    failed: both(first.failed, second.failed),
    errors: both(first.errors, second.errors),
    outbound: both(first.outbound, second.outbound),
  }
}

async function findClick(
  paths: readonly string[],
  { place, visitor, keys }: { place: Place; visitor: Visitor; keys: ReadonlySet<string> },
): Promise<Reference['click']> {
  for (const from of paths) {
    const { acted } = await visitor.visit(place.addressOf(from) ?? '', place.host, async page => {
      const key = await chooseLink(page, place, keys)
      const landing = key === undefined ? undefined : await clickLink(page, place, key)
      return key !== undefined && landing && isSamePage(key, landing) ? { key, words: landing.words } : undefined
    })
    if (acted) return { from, ...acted }
  }
  return undefined
}

async function findTheme(
  paths: readonly string[],
  { place, visitor, site }: { place: Place; visitor: Visitor; site: Site },
): Promise<string | undefined> {
  for (const path of paths.slice(0, 2)) {
    const { acted } = await visitor.visit(place.addressOf(path) ?? '', place.host, page =>
      pressTheme(page, site.themeToggle),
    )
    if (acted) return path
  }
  return undefined
}
