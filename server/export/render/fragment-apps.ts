import { RenderError, type RenderedPage } from '../../web/browser/renderer.ts'
import { countMissing } from '../../web/html/page-text.ts'
import type { CrawlState } from '../crawl/crawl-state.ts'
import { needFile, needLoaded, needScripted } from '../crawl/need-file.ts'
import { type FetchedPage, needOfPrograms } from '../crawl/visit-page.ts'
import { appKey, isRouteKey, routeKey, routeOf, routePlace } from '../model/fragment-route.ts'
import type { PageOutcome, Resource } from '../model/resource.ts'
import { isMissing } from '../pages/missing-page.ts'
import { PageWorkError } from '../pages/page-pool.ts'
import type { ReadPage } from '../pages/page-tasks.ts'

/** A page that a browser made of next to nothing, as the server sent it and as it then was. */
interface Home {
  fetched: Resource
  /** What the sent page needs; null when that was asked for already. */
  content: ReadPage | null
  words: string[]
  loaded: URL[]
  /** What it says for a fragment that names no page; null when that is not told from a page. */
  missingWords: string[] | null
}

/** Shows the pages of apps that tell them apart by the fragment (#/guide), each by a start of the app. */
export interface FragmentApps {
  /** Hears of a page that a browser made. */
  note(page: FetchedPage, fetched: Resource, content: ReadPage | null, shown: RenderedPage): void
  /** Whether a page shows something else for one of these fragments, given as keys. If so, its scripts stay in the bundle. */
  isApp(key: string, tries: readonly string[]): Promise<boolean>
  show(key: string): Promise<FetchedPage | PageOutcome>
}

export interface FragmentAppsOptions {
  state: CrawlState
  startKey: string
  /** Shows a fetched page in a browser, at an address with a fragment. */
  render(fetched: Resource, url: URL): Promise<RenderedPage>
  /** Keeps what a browser shows. */
  keep(resource: Resource, shown: RenderedPage): Promise<FetchedPage>
}

/** A clock or a counter changes so many words by itself. */
const changedWords = 3
/** No page of an app has this name. */
const madeUp = '#/quire-no-such-page'

export function createFragmentApps({ state, startKey, render, keep }: FragmentAppsOptions): FragmentApps {
  const homes = new Map<string, Home>()
  const shownAlready = new Map<string, RenderedPage>()

  async function showAt({ fetched }: Home, key: string): Promise<RenderedPage | null> {
    const known = shownAlready.get(key)
    shownAlready.delete(key)
    if (known) return known
    try {
      return await render(fetched, addressIn(fetched, key))
    } catch (error) {
      if (error instanceof RenderError) return null
      throw error
    }
  }

  /** Its scripts run in the bundle, so all that they need has to be there. */
  async function open(key: string, home: Home): Promise<void> {
    const { fetched, content } = home
    state.apps.set(key, fetched)
    for (const { url, role } of content?.assets ?? []) needFile(state, new URL(url), role)
    if (content) needOfPrograms(state, { resource: fetched, content })
    needOfApp(home.loaded)
    const missing = await showAt(home, key + madeUp)
    const isTold = missing && keyOf(missing.url) === key + madeUp && !isSame(missing.words, home.words)
    home.missingWords = isTold ? missing.words : null
  }

  function needOfApp(loaded: readonly URL[]): void {
    for (const url of loaded) {
      needLoaded(state, url)
      needScripted(state, url, 'asset')
    }
  }

  function keyOf(url: URL): string | null {
    const own = state.site.own(url)
    if (own) own.hash = url.hash
    return own && routeKey(own)
  }

  return {
    note({ content: { links } }, fetched, content, { words, loaded }) {
      const leadsOn = links.some(link => link.includes('#/') && isRouteKey(routeKey(new URL(link))))
      if (leadsOn || fetched.key === startKey)
        homes.set(fetched.key, { fetched, content, words, loaded, missingWords: null })
    },
    async isApp(key, tries) {
      const home = homes.get(key)
      if (!home) return false
      for (const route of tries) {
        const shown = await showAt(home, route)
        if (!shown || !isOther(home.words, shown.words)) continue
        shownAlready.set(route, shown)
        await open(key, home)
        return true
      }
      homes.delete(key)
      return false
    },
    async show(key) {
      const home = homes.get(appKey(key))
      const shown = home && (await showAt(home, key))
      if (!home || !shown) return { state: 'skipped', reason: 'the browser could not show it' }
      const landed = keyOf(shown.url)
      if (landed !== key) return landed ? { state: 'redirect', to: landed } : { state: 'elsewhere', url: shown.url }
      // It left, for another host or in a circle, and nothing came of it.
      if (shown.words.length === 0) return { state: 'skipped', reason: 'the app shows nothing there' }
      if (isSame(shown.words, home.words)) return { state: 'redirect', to: appKey(key) }
      const asked = routePlace(appKey(key) + madeUp)
      if (isMissing(home.missingWords ?? [], asked, shown.words, routePlace(key)))
        return { state: 'missing', reason: 'the app has no such page' }
      needOfApp(shown.loaded)
      const url = addressIn(home.fetched, key)
      try {
        return await keep({ ...home.fetched, key, url }, { ...shown, url })
      } catch (error) {
        if (!(error instanceof PageWorkError)) throw error
        return { state: 'skipped', reason: error.message }
      }
    },
  }
}

function addressIn({ url }: Resource, key: string): URL {
  const address = new URL(url)
  address.hash = `#${routeOf(new URL(key)) ?? '/'}`
  return address
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.join(' ') === b.join(' ')
}

/** Whether words of the one gave way to words of the other; a part that only unfolds is no other page. */
function isOther(home: readonly string[], shown: readonly string[]): boolean {
  const lost = countMissing(home, shown)
  return lost > 0 && lost + countMissing(shown, home) > changedWords
}
