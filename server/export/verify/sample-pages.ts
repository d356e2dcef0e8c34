import { digest } from '../../base/digest.ts'
import { type Answerer, type BrowserAnswer, decodeBody, sameFile } from '../../web/browser/browser-request.ts'
import type { PageLook } from '../../web/browser/page-look.ts'
import type { PageViewer } from '../../web/browser/viewer.ts'
import { missingWords, readGluedWords, readPageWords } from '../../web/html/page-text.ts'
import type { ViewCache } from '../cache/view-cache.ts'
import type { CollectedSite } from '../crawl/crawl-tools.ts'
import type { ExportLimits } from '../model/limits.ts'
import type { Resource } from '../model/resource.ts'
import { appKey } from '../model/site.ts'
import { readSpan } from '../pages/page-work.ts'
import type { OriginLook } from './compare-page.ts'
import type { FileSource } from './file-source.ts'

/** A page of a bundle whose scripts may run there. */
export interface ScriptedPage {
  page: Resource
  /** The app, as fetched, that shows this page by a fragment; null for a page that contains its scripts. */
  app: Resource | null
}

/** Lists the pages of a bundle that contain scripts or that an app shows, sorted by key. */
export function listScriptedPages({ pages, apps }: Pick<CollectedSite, 'pages' | 'apps'>): ScriptedPage[] {
  return [...pages]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, outcome]) =>
      outcome.state === 'page' ? [{ page: outcome.resource, app: apps.get(appKey(key)) ?? null }] : [],
    )
    .filter(({ page, app }) => page.hasScripts && (!page.rendered || app) && page.type === 'text/html')
}

/** Max groups that are decided separately. The pages of all further groups are one group. */
const maxGroups = 12

/** Groups the pages that load the same scripts. The largest group comes first. */
export function groupPages(scripted: readonly ScriptedPage[]): ScriptedPage[][] {
  const groups = new Map<string, ScriptedPage[]>()
  for (const each of scripted) {
    const name = each.app ? 'app' : (each.page.template ?? '')
    const group = groups.get(name) ?? []
    groups.set(name, group)
    group.push(each)
  }
  const first = (group: readonly ScriptedPage[]) => group[0]?.page.key ?? ''
  const sorted = [...groups.values()].sort((a, b) => b.length - a.length || (first(a) < first(b) ? -1 : 1))
  const rest = sorted.slice(maxGroups - 1).flat()
  if (sorted.length <= maxGroups) return sorted
  return [...sorted.slice(0, maxGroups - 1), rest.sort((a, b) => (a.page.key < b.page.key ? -1 : 1))]
}

export interface OriginLooks {
  collected: CollectedSite
  files: FileSource
  limits: Pick<ExportLimits, 'files'>
  /** Answers the requests of pages. */
  answer: Answerer
  views: ViewCache
  viewer: Pick<PageViewer, 'look'>
  /** Pages that the crawl showed at the origin, by key. */
  looks: ReadonlyMap<string, PageLook>
}

/** Shows pages at the origin and returns their looks by key. Requests the files that their scripts load there. */
export async function lookAtOrigin(
  options: OriginLooks,
  pages: readonly ScriptedPage[],
): Promise<Map<string, OriginLook>> {
  const looks = await showAtOrigin(options, pages)
  await learnFrom(options, looks)
  return looks
}

/**
 * Shows pages at the origin and returns their looks by key. Requests nothing.
 *
 * @param isFresh whether nothing is learned from the pages, which are of one group: its menus and links are tried on the first
 * one.
 */
export async function showAtOrigin(
  options: OriginLooks,
  pages: readonly ScriptedPage[],
  isFresh = false,
): Promise<Map<string, OriginLook>> {
  const looks = new Map<string, OriginLook>()
  await Promise.all(
    pages.map(async (scripted, at) => {
      const look = options.looks.get(scripted.page.key) ?? (await lookAt(options, scripted, isFresh && at > 0))
      if (look) looks.set(scripted.page.key, { ...look, served: await readServed(scripted) })
    }),
  )
  return looks
}

/** Returns the words of the HTML of a page in both readings: with the text of neighbouring elements apart, and joined. */
async function readServed({ page, app }: ScriptedPage): Promise<string[]> {
  const { span, charset } = app ?? page
  if (!span) return []
  const raw = { text: (await readSpan(span)).toString('latin1'), charset }
  const apart = readPageWords(raw)
  return [...apart, ...missingWords(readGluedWords(raw), apart)]
}

/** Requests the files that the scripts of pages loaded at the origin. */
export async function learnFrom(options: OriginLooks, looks: ReadonlyMap<string, PageLook>): Promise<void> {
  const { files } = options
  for (const look of looks.values()) {
    for (const address of look.loaded) files.needLoaded(new URL(address))
    for (const address of look.byScript) files.needScripted(new URL(address))
  }
  await files.finish()
  needCompanions(options, looks.values())
  await files.finish()
}

/** Shows one page at the origin; null when the browser cannot show it. */
async function lookAt(
  { answer, views, viewer }: OriginLooks,
  { page, app }: ScriptedPage,
  isFurther: boolean,
): Promise<PageLook | null> {
  const { url } = page
  const { span, type, charset } = app ?? page
  if (!span) return null
  const body = await readSpan(span)
  const html: BrowserAnswer = { status: 200, headers: { 'content-type': `${type}; charset=${charset}` }, body }
  const view = `look, theme, outline and controls${isFurther ? ' of the content' : ''}`
  const subject = { view, url, headers: html.headers, body: digest(body) }
  return views.see(subject, answer, answer =>
    viewer.look(
      url.href,
      request => (request.isNavigation && sameFile(request.url, url.href) ? Promise.resolve(html) : answer(request)),
      { pressesTheme: true, served: decodeBody(html), isFurther },
    ),
  )
}

/** Requests the data of all pages if an app loaded the data of some pages. */
function needCompanions({ collected, files: source, limits }: OriginLooks, looks: Iterable<PageLook>): void {
  const { site, pages, files } = collected
  const pathOf = (address: string) => site.own(new URL(address))?.pathname ?? []
  const paths = [...pages].flatMap(([key, outcome]) => (outcome.state === 'page' ? pathOf(key) : []))
  const seen = [...looks].flatMap(look => look.byScript).flatMap(pathOf)
  // These are guesses, and must not use up the limit of files.
  const room = Math.max(0, Math.floor((limits.files - files.size) / 2))
  for (const path of findCompanions(paths, seen).slice(0, room)) source.needLoaded(new URL(path, site.origin))
}

/** A path that contains the path of a page, split around it. */
interface CompanionPattern {
  before: string
  after: string
  /** The pages for which the pattern was seen. */
  pages: Set<string>
}

/** Min pages for which a file must be seen before it is requested for all pages. */
const minSeenPages = 3
const maxCompanionPatterns = 12

/** Each folder of a path costs time for the rest of the path. The paths of pages are no longer than these. */
const maxFolders = 50
const maxPathChars = 2000

/** Extensions of files that never contain the data of one page. */
const neverData = /\.(?:avif|css|gif|ico|jpe?g|png|svg|webp|woff2?)$/i

/**
 * Finds the files that an app keeps for each page, such as its data: `/a/b/data.json`, `/data/a/b.json` or `/a/b.txt` for
 * the page `/a/b`. Derives patterns from the files seen for some pages, and applies them to all pages.
 *
 * @param pages paths of the pages, without a trailing slash.
 * @param seen paths of files that scripts requested.
 * @return sorted paths. Some of the files may be missing.
 */
export function findCompanions(pages: Iterable<string>, seen: Iterable<string>): string[] {
  const known = new Set([...pages].map(bareName))
  const asked = new Set(seen)
  const patterns = new Map<string, CompanionPattern>()
  for (const path of asked) {
    const page = neverData.test(path) ? null : findPage(path, known)
    if (!page) continue
    const before = path.slice(0, page.at)
    const after = path.slice(page.at + page.name.length)
    const key = `${before} ${after}`
    const pattern = patterns.get(key) ?? { before, after, pages: new Set() }
    patterns.set(key, pattern)
    pattern.pages.add(page.name)
  }
  const proven = [...patterns]
    .filter(([, pattern]) => pattern.pages.size >= minSeenPages)
    .sort(([a, { pages: ofA }], [b, { pages: ofB }]) => ofB.size - ofA.size || (a < b ? -1 : 1))
    .slice(0, maxCompanionPatterns)
  const found = proven.flatMap(([, { before, after }]) =>
    // The page at the root has no name that could take an extension.
    [...known].flatMap(name => (name === '' && !after.startsWith('/') ? [] : [before + name + after])),
  )
  return [...new Set(found)].filter(path => !asked.has(path)).sort()
}

/** Finds the longest page path inside a path. Compares whole segments, but the last one may end at a dot. */
function findPage(path: string, known: ReadonlySet<string>): { name: string; at: number } | null {
  if (path.length > maxPathChars) return null
  const starts = [...path.matchAll(/\//g)].map(({ index }) => index)
  if (starts.length > maxFolders) return null
  const ends = [...path.matchAll(/[./]/g)].map(({ index }) => index).reverse()
  for (const at of starts)
    for (const end of ends) if (end > at + 1 && known.has(path.slice(at, end))) return { name: path.slice(at, end), at }
  return null
}

function bareName(path: string): string {
  return path.replace(/\.x?html?$|\/$/i, '')
}
