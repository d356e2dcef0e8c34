import type { Page } from 'puppeteer'
import type { SeenPage } from '../../in-page/browser/seen-page.ts'
import type { FollowedLink, PressedControl } from '../../in-page/controls/pressed-control.ts'
import type { OutlineModel } from '../../in-page/outline/outline-model.ts'
import { splitWords } from '../html/page-text.ts'
import { pressTheme, readColours, readSeen } from './in-page.ts'
import { listFetched, type Watched } from './watched-tab.ts'

/** A page as a visitor sees it. */
export interface PageLook {
  /** The words a reader sees. */
  words: string[]
  /** The words of the headings, also included in `words`. */
  headingWords: string[]
  /** Addresses of failed requests. */
  failed: string[]
  /** The addresses in `failed` that the page only fetched ahead, for a link that nobody has followed. */
  failedAhead: string[]
  /** Errors of the page's scripts and of its Content Security Policy, one line each. */
  errors: string[]
  /** Other files that the page loaded. */
  loaded: string[]
  /** The files in `loaded` that a script requested. */
  byScript: string[]
  /** The files in `loaded` that browsers refuse on file://: data that scripts fetched, and all that workers loaded. */
  fetched: string[]
  /** Whether a framework controls (has hydrated) the page's elements. */
  isTakenOver: boolean
  /** Whether the page has a field or a button of a search. */
  hasSearch: boolean
  /** Whether the theme button changes colours; null = the page has none, or nobody pressed it. */
  switchesTheme: boolean | null
  /** The list of the page's headings that its scripts made; null = there is none, or nobody looked for it. */
  outline: OutlineModel | null
  /** What pressing the controls did; empty if nobody pressed them. */
  controls: PressedControl[]
  /** Names of the controls that do less than expected. */
  deadControls: string[]
  /** A link that the page's scripts followed; null = none, or nobody tried. */
  follows: FollowedLink | null
}

/** Max times that a theme button is pressed. With the states system, light and dark, the first time may change nothing. */
const maxPresses = 2

/** Reads the text of a page that is quiet. */
export function readText(page: Page, watched: Watched): Promise<SeenPage> {
  return readSeen(page, watched.failed.size > 0)
}

/** Presses the theme button of a page, if it has one. */
export async function tryTheme(page: Page, settle: () => Promise<void>): Promise<boolean | null> {
  for (let times = 0; times < maxPresses; times += 1) {
    const before = await pressTheme(page, times)
    if (before === null) return null
    await settle()
    if ((await readColours(page)) !== before) return true
  }
  return false
}

/** Returns the look of a page whose text was read. Nothing else happens to the page after that. */
export function finishLook(
  page: Page,
  watched: Watched,
  { text, headingText, isTakenOver, hasSearch, links }: SeenPage,
  {
    switchesTheme,
    outline = null,
    controls = [],
    deadControls = [],
    follows = null,
  }: Pick<PageLook, 'switchesTheme'> & Partial<Pick<PageLook, 'outline' | 'controls' | 'deadControls' | 'follows'>>,
): PageLook {
  const { failed, errors, loaded, byScript } = watched
  const sorted = (found: Set<string>) => [...found].sort()
  return {
    words: splitWords(text),
    headingWords: splitWords(headingText),
    failed: sorted(failed),
    failedAhead: findAhead(watched, links, page.url()),
    errors: sorted(errors),
    loaded: sorted(loaded),
    byScript: sorted(byScript),
    fetched: listFetched(watched),
    isTakenOver,
    hasSearch,
    switchesTheme,
    outline,
    controls,
    deadControls,
    follows,
  }
}

/** Returns the failed requests that were made ahead: hints of the page, and data of pages that it links to. */
function findAhead({ failed, fetched, ahead }: Watched, links: readonly string[], address: string): string[] {
  const hinted = [...failed].filter(address => ahead.has(address))
  const asked = [...failed].filter(address => fetched.has(address) && !ahead.has(address))
  const linked = asked.length === 0 ? [] : findLinkData(asked, links, address)
  return [...hinted, ...linked].sort()
}

/** Endings of files that contain the data of a page: /a.json, /a/index.txt or /a/_payload.json for the page /a. */
const dataEnding = /(?:\/(?:index|_\w+(?:\.\w+)*))?\.(?:json|txt|js|html?|data)$/

/** Each slash of an address costs time for the rest of the address. No page has a longer one. */
const maxAddressChars = 2000

/**
 * Finds the requests for pages that a page links to, or for the data of these pages. Apps make such requests ahead of a
 * click. Does not know any app: it compares the paths.
 *
 * @param asked addresses that scripts of the page requested.
 * @param links addresses of the page's links.
 * @param own the address of the page.
 */
export function findLinkData(asked: readonly string[], links: readonly string[], own: string): string[] {
  const ownPath = barePath(own)
  const linked = new Set(
    links
      .filter(({ length }) => length <= maxAddressChars)
      .map(barePath)
      .filter(path => path !== '' && path !== ownPath),
  )
  return asked.filter(address => {
    if (address.length > maxAddressChars) return false
    const path = barePath(address)
    // The data may be in a folder, as in /data/build-7/a/b.json for /a/b.
    for (let at = 0; at !== -1; at = path.indexOf('/', at + 1)) if (linked.has(path.slice(at))) return true
    return false
  })
}

/** Returns the path of an address without the endings of pages and their data. */
function barePath(address: string): string {
  const path = URL.parse(address)?.pathname ?? ''
  return path.replace(dataEnding, '').replace(/(?<!\/)\/+$/, '')
}
