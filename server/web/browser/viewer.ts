import type { Browser, HTTPRequest, Page } from 'puppeteer'
import { splitWords } from '../html/page-text.ts'
import { type BrowserAnswer, type BrowserRequest, sameFile } from './browser-request.ts'
import { findSearch, isTakenOver, readHeadingText, readLinks, readVisibleText } from './in-page.ts'
import type { LaunchOptions } from './launch.ts'
import { findLinkData } from './link-data.ts'
import { settle } from './settle.ts'
import { type SearchLook, type SearchTask, useSearch } from './site-search.ts'
import { clearStorage, openTab, type Showing, startRequests, type Tab, toBrowserRequest } from './tab.ts'
import { openTabPool } from './tab-pool.ts'

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
  /** Whether a framework controls (has hydrated) the page's elements. */
  isTakenOver: boolean
  /** Whether the page has a field or a button of a search. */
  hasSearch: boolean
}

/** Returns an answer, 'file' = load the file: address from disk, or null = refuse. */
export type ViewAnswerer = (request: BrowserRequest) => Promise<BrowserAnswer | 'file' | null>

/** Opens pages like a visitor. Refuses every address that the answerer does not know. */
export interface BundleViewer {
  /** Returns null if the browser failed twice to show the page. */
  look(address: string, answer: ViewAnswerer): Promise<PageLook | null>
  /** Uses the search of a page. Returns null if it has none, or if the browser failed twice to show the page. */
  search(address: string, answer: ViewAnswerer, task: SearchTask): Promise<SearchLook | null>
  close(): Promise<void>
}

export interface BundleViewerOptions extends LaunchOptions {
  pageTimeoutMs: number
  /** Max requests of one page. */
  pageRequests: number
  signal: AbortSignal
  /** Returns the share of this browser in a number of tabs; at least 1. */
  share?(whole: number): number
  /**
   * Decides whether an address belongs to a third-party product that stays in the bundle. A check never requests these
   * addresses and ignores their failures.
   */
  isOutside?(url: URL): boolean
}

/** How many pages are open concurrently, at most. */
export const viewerTabs = 3

const maxErrorLength = 300

/**
 * Starts a browser without access to the network for pages of a bundle.
 *
 * @throws {BrowserStartError}
 */
export async function openBundleViewer(options: BundleViewerOptions): Promise<BundleViewer> {
  const { pageTimeoutMs, pageRequests, signal, share = whole => whole, isOutside = () => false } = options
  const openViewerTab = (browser: Browser) => openWatchedTab(browser, isOutside)
  const pool = await openTabPool({ ...options, countTabs: () => share(viewerTabs), openTab: openViewerTab })
  async function run<T>(work: (tab: Tab<Looking>) => Promise<T>): Promise<T | null> {
    try {
      return await pool.run(work)
    } catch {
      signal.throwIfAborted()
      return null
    }
  }
  return {
    look: (address, answer) => run(tab => lookAt(tab, startLook(address, answer, pageRequests), pageTimeoutMs)),
    search: (address, answer, task) =>
      run(tab => {
        const showing = startLook(address, answer, pageRequests)
        tab.showing = showing
        return useSearch(tab, showing, task, pageTimeoutMs)
      }),
    close: () => pool.close(),
  }
}

interface Looking extends Showing {
  address: string
  answer: ViewAnswerer
  failed: Set<string>
  /** Addresses that scripts fetched, and addresses that the browser fetched ahead. */
  fetched: Set<string>
  ahead: Set<string>
  errors: Set<string>
  loaded: Set<string>
  byScript: Set<string>
  /** Addresses of pages shown in frames. */
  frames: Set<string>
}

function startLook(address: string, answer: ViewAnswerer, maxRequests: number): Looking {
  const found = { failed: new Set<string>(), errors: new Set<string>() }
  const requested = { fetched: new Set<string>(), ahead: new Set<string>() }
  return {
    ...startRequests(maxRequests),
    address,
    answer,
    ...found,
    ...requested,
    loaded: new Set(),
    byScript: new Set(),
    frames: new Set(),
  }
}

async function lookAt(tab: Tab<Looking>, showing: Looking, timeoutMs: number): Promise<PageLook> {
  const { page, client } = tab
  await clearStorage(tab, new URL(showing.address), timeoutMs)
  tab.showing = showing
  await page.goto(showing.address, { waitUntil: 'domcontentloaded', timeout: timeoutMs })
  await settle(client, showing, performance.now() + timeoutMs * 0.8)
  const words = splitWords(await readVisibleText(page))
  const headingWords = splitWords(await readHeadingText(page))
  const sorted = (found: Set<string>) => [...found].sort()
  return {
    words,
    headingWords,
    failed: sorted(showing.failed),
    failedAhead: await findAhead(page, showing),
    errors: sorted(showing.errors),
    loaded: sorted(showing.loaded),
    byScript: sorted(showing.byScript),
    isTakenOver: await isTakenOver(page),
    hasSearch: (await findSearch(page, 'any')) !== null,
  }
}

/** Returns the failed requests that were made ahead: hints of the page, and data of pages that it links to. */
async function findAhead(page: Page, { failed, fetched, ahead }: Looking): Promise<string[]> {
  const hinted = [...failed].filter(address => ahead.has(address))
  const asked = [...failed].filter(address => fetched.has(address) && !ahead.has(address))
  const linked = asked.length === 0 ? [] : findLinkData(asked, await readLinks(page), page.url())
  return [...hinted, ...linked].sort()
}

/** Opens a tab that also records errors and failed requests. */
async function openWatchedTab(browser: Browser, isOutside: (url: URL) => boolean): Promise<Tab<Looking>> {
  const tab = await openTab<Looking>(browser, answerRequest)
  tab.page.on('pageerror', error => tab.showing?.errors.add(describePageError(error)))
  tab.page.on('console', message => {
    // Failed requests are reported separately.
    if (message.type() !== 'error' || /Failed to load resource/.test(message.text())) return
    const refused = findRefusedAddress(message.text())
    // A request refused by the bundle's policy counts as failed. At the origin, we refuse the same request.
    if (refused === null) tab.showing?.errors.add(describePageError(message.text()))
    else if (!isOutside(new URL(refused))) tab.showing?.failed.add(refused)
  })
  tab.page.on('requestfailed', request => {
    if (request.failure()?.errorText === 'net::ERR_ABORTED' || isOutside(new URL(request.url()))) return
    tab.showing?.failed.add(request.url())
  })
  return tab
}

async function answerRequest(
  _tab: Tab<Looking>,
  showing: Looking,
  request: HTTPRequest,
  isNavigation: boolean,
): Promise<void> {
  const url = request.url()
  if (/^(?:fetch|xhr)$/.test(request.resourceType())) showing.fetched.add(url)
  if (isHint(request)) showing.ahead.add(url)
  const answered = await showing.answer(toBrowserRequest(request, isNavigation)).catch(() => null)
  if (answered && answered !== 'file' && answered.status >= 400) showing.failed.add(url)
  if (answered && !isNavigation) showing.loaded.add(url)
  if (answered && !isNavigation && request.isNavigationRequest()) showing.frames.add(url)
  if (answered && request.initiator()?.type === 'script') showing.byScript.add(url)
  if (answered === 'file') await request.continue()
  else if (answered) await request.respond(answered)
  // An empty answer keeps the current page. After an error, the browser would show its error page.
  else if (isNavigation && !sameFile(url, showing.address)) await request.respond({ status: 204 })
  else await request.abort('blockedbyclient')
}

/** Decides whether a browser makes the request ahead, because of a hint such as rel=prefetch or speculation rules. */
function isHint(request: HTTPRequest): boolean {
  const { purpose = '', 'sec-purpose': secPurpose = '' } = request.headers()
  return request.resourceType() === 'prefetch' || /prefetch/.test(purpose + secPurpose)
}

/**
 * Returns the address in a console message about a request refused by the Content Security Policy; null for other messages.
 */
function findRefusedAddress(message: string): string | null {
  // The wording varies: "Connecting to 'ADDRESS' violates ...", "Fetch API cannot load ADDRESS. Refused to connect ...".
  const before = /^(.*?)\bviolates\b.*Content Security Policy/s.exec(message)?.[1] ?? ''
  const address = /https?:\/\/[^\s'"]+/.exec(before)?.[0].replace(/\.$/, '')
  return address !== undefined && URL.canParse(address) ? address : null
}

function describePageError(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  // On file://, the browser adds this prefix, because a page and its scripts have different origins.
  const plain = text.replace(/^(?:Error: )?Uncaught (?:\(in promise\) )?(?=\w*Error\b)/, '')
  return plain.split('\n')[0]?.slice(0, maxErrorLength) ?? ''
}
