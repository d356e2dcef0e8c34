import type { RenderedPage } from '../../web/browser/renderer.ts'
import { countMissing } from '../../web/html/page-text.ts'
import type { MutableSite } from '../crawl/crawl-tools.ts'
import type { FileCollector } from '../crawl/file-collector.ts'
import type { FetchedPage } from '../crawl/page-completer.ts'
import type { PageOutcome, Resource } from '../model/resource.ts'
import { appKey, isRouteKey, routeKey, routeOf, routePlace, type Site } from '../model/site.ts'
import { PageWorkError } from '../pages/page-pool.ts'
import type { ReadPage } from '../pages/page-tasks.ts'
import { isMissing } from '../pages/page-work.ts'
import type { PageViews } from './page-views.ts'

/** Shows the pages of apps that choose the page by the fragment (#/guide). The app is started for each page. */
export interface FragmentApps {
  /** Records a page that a browser built. It may be the first page of an app. */
  note(built: BuiltPage): void
  /** Decides whether a page changes for one of these fragments, given as keys. If so, its scripts stay in the bundle. */
  isApp(key: string, routes: readonly string[]): Promise<boolean>
  show(key: string): Promise<FetchedPage | PageOutcome>
}

/** A page that a browser built from nearly empty HTML. */
interface BuiltPage {
  page: FetchedPage
  /** The page as the server sent it. */
  fetched: Resource
  /** The files that the fetched page needs; null when they were already requested. */
  content: ReadPage | null
  shown: RenderedPage
}

interface FragmentAppsOptions {
  site: Site
  found: Pick<MutableSite, 'apps'>
  files: Pick<FileCollector, 'need' | 'needOfPrograms' | 'needLoaded' | 'needScripted'>
  startKey: string
  views: Pick<PageViews, 'tryShow'>
  /** Replaces the fetched page with the rendered page. */
  keep(resource: Resource, shown: RenderedPage): Promise<FetchedPage>
}

/** A page that may be the first page of an app. */
interface Home extends Pick<BuiltPage, 'fetched' | 'content'> {
  words: string[]
  loaded: URL[]
  /** The words shown for a fragment that names no page; null when the app has no separate not-found page. */
  missingWords: string[] | null
}

interface Apps extends FragmentAppsOptions {
  homes: Map<string, Home>
  /** Pages shown while the app was detected, by key. */
  shownEarly: Map<string, RenderedPage>
}

/** Max words that a clock or a counter changes. */
const changedWords = 3
/** No page of an app has this name. */
const unknownRoute = '#/quire-no-such-page'

export function createFragmentApps(options: FragmentAppsOptions): FragmentApps {
  const apps: Apps = { ...options, homes: new Map(), shownEarly: new Map() }
  return {
    note: built => noteHome(apps, built),
    isApp: (key, routes) => isApp(apps, key, routes),
    show: key => showRoute(apps, key),
  }
}

function noteHome({ homes, startKey }: Apps, { page, fetched, content, shown }: BuiltPage): void {
  const { words, loaded } = shown
  const hasRoutes = page.content.links.some(link => link.includes('#/') && isRouteKey(routeKey(new URL(link))))
  if (hasRoutes || fetched.key === startKey)
    homes.set(fetched.key, { fetched, content, words, loaded, missingWords: null })
}

async function isApp(apps: Apps, key: string, routes: readonly string[]): Promise<boolean> {
  const home = apps.homes.get(key)
  if (!home) return false
  for (const route of routes) {
    const shown = await showAt(apps, home, route)
    if (!shown || !isOther(home.words, shown.words)) continue
    apps.shownEarly.set(route, shown)
    await openApp(apps, key, home)
    return true
  }
  apps.homes.delete(key)
  return false
}

/** Requests the files that the app needs, because its scripts run in the bundle. */
async function openApp(apps: Apps, key: string, home: Home): Promise<void> {
  const { found, files } = apps
  const { fetched, content } = home
  found.apps.set(key, fetched)
  for (const { url, role } of content?.assets ?? []) files.need(new URL(url), role)
  if (content) files.needOfPrograms({ resource: fetched, content })
  needLoaded(apps, home.loaded)
  const missing = await showAt(apps, home, key + unknownRoute)
  const isTold = missing && keyOf(apps, missing.url) === key + unknownRoute && !isSame(missing.words, home.words)
  home.missingWords = isTold ? missing.words : null
}

async function showRoute(apps: Apps, key: string): Promise<FetchedPage | PageOutcome> {
  const home = apps.homes.get(appKey(key))
  const shown = home && (await showAt(apps, home, key))
  if (!home || !shown) return { state: 'skipped', reason: 'the browser could not show it' }
  const outcome = explainNoPage(apps, { key, home, shown })
  if (outcome) return outcome
  needLoaded(apps, shown.loaded)
  const url = addressOf(home.fetched, key)
  try {
    return await apps.keep({ ...home.fetched, key, url }, { ...shown, url })
  } catch (error) {
    if (!(error instanceof PageWorkError)) throw error
    return { state: 'skipped', reason: error.message }
  }
}

/** Explains why the app shows no separate page for the key; null when it shows one. */
function explainNoPage(
  apps: Apps,
  { key, home, shown }: { key: string; home: Home; shown: RenderedPage },
): PageOutcome | null {
  const landed = keyOf(apps, shown.url)
  if (landed !== key) return landed ? { state: 'redirect', to: landed } : { state: 'elsewhere', url: shown.url }
  // The app navigated to another host, or in a loop.
  if (shown.words.length === 0) return { state: 'skipped', reason: 'the app shows nothing there' }
  if (isSame(shown.words, home.words)) return { state: 'redirect', to: appKey(key) }
  const asked = routePlace(appKey(key) + unknownRoute)
  return isMissing(home.missingWords ?? [], asked, shown.words, routePlace(key))
    ? { state: 'missing', reason: 'the app has no such page' }
    : null
}

async function showAt({ views, shownEarly }: Apps, { fetched }: Home, key: string): Promise<RenderedPage | null> {
  const known = shownEarly.get(key)
  shownEarly.delete(key)
  if (known) return known
  const view = await views.tryShow(fetched, addressOf(fetched, key))
  return view?.shown ?? null
}

function needLoaded({ files }: Apps, loaded: readonly URL[]): void {
  for (const url of loaded) {
    files.needLoaded(url)
    files.needScripted(url)
  }
}

function keyOf({ site }: Apps, url: URL): string | null {
  const own = site.own(url)
  if (own) own.hash = url.hash
  return own && routeKey(own)
}

function addressOf({ url }: Resource, key: string): URL {
  const address = new URL(url)
  address.hash = `#${routeOf(new URL(key)) ?? '/'}`
  return address
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.join(' ') === b.join(' ')
}

/** Decides whether words were replaced by others. A part that only expands does not make another page. */
function isOther(home: readonly string[], shown: readonly string[]): boolean {
  const lost = countMissing(home, shown)
  return lost > 0 && lost + countMissing(shown, home) > changedWords
}
