import type { Browser, HTTPRequest } from 'puppeteer'
import { type BrowserAnswer, sameFile } from './browser-request.ts'
import { openTab, type Showing, type SignedIn, startRequests, type Tab } from './tab.ts'

/** State of the current page of a tab that records what a visitor of the page would notice. */
export interface Watched extends Showing {
  failed: Set<string>
  /** Addresses that scripts fetched, and addresses that the browser fetched ahead. */
  fetched: Set<string>
  ahead: Set<string>
  /** Addresses of the scripts of workers, and addresses that workers requested. */
  byWorkers: Set<string>
  errors: Set<string>
  loaded: Set<string>
  byScript: Set<string>
  /** Addresses of pages shown in frames. */
  frames: Set<string>
  address: string
  /** Whether the tab keeps the page when it asks for its own address again and gets no answer. */
  staysOnReload: boolean
  answer(request: HTTPRequest, isNavigation: boolean): Promise<BrowserAnswer | 'file' | null>
  /** Called after the browser got the answer. */
  onAnswered?(request: HTTPRequest, isAnswered: boolean): Promise<void>
  /**
   * Decides whether an address belongs to a third-party product that stays in the bundle. A check never requests these
   * addresses and ignores their failures.
   */
  isOutside(url: URL): boolean
}

export type WatchedTab = Tab<Watched>

/** How the requests of a page are answered. */
export type Answering = Pick<Watched, 'address' | 'staysOnReload' | 'answer' | 'onAnswered' | 'isOutside'>

const maxErrorLength = 300

/** Returns the state of a page without requests. */
export function startWatching(maxRequests: number, answering: Answering): Watched {
  const names = { failed: new Set<string>(), fetched: new Set<string>(), ahead: new Set<string>() }
  const found = {
    errors: new Set<string>(),
    byWorkers: new Set<string>(),
    loaded: new Set<string>(),
    byScript: new Set<string>(),
  }
  return { ...startRequests(maxRequests), ...names, ...found, frames: new Set(), ...answering }
}

/** Returns the state with the faults as they are now. What a control does later is no fault of the page. */
export function keepFaults(showing: Watched): Watched {
  return { ...showing, failed: new Set(showing.failed), errors: new Set(showing.errors) }
}

/** Opens a tab that records errors and failed requests. */
export async function openWatchedTab(browser: Browser, login: SignedIn | null = null): Promise<WatchedTab> {
  const tab = await openTab<Watched>(browser, answerRequest, login)
  tab.page.on('workercreated', worker => tab.showing?.byWorkers.add(worker.url()))
  tab.page.on('pageerror', error => tab.showing?.errors.add(describePageError(error)))
  tab.page.on('console', message => {
    // Failed requests are reported separately.
    if (message.type() !== 'error' || /Failed to load resource/.test(message.text())) return
    const refused = findRefusedAddress(message.text())
    // A request refused by the bundle's policy counts as failed. At the origin, we refuse the same request.
    if (refused === null) tab.showing?.errors.add(describePageError(message.text()))
    else if (!tab.showing?.isOutside(new URL(refused))) tab.showing?.failed.add(refused)
  })
  tab.page.on('requestfailed', request => {
    const { showing } = tab
    if (request.failure()?.errorText === 'net::ERR_ABORTED' || showing?.isOutside(new URL(request.url()))) return
    showing?.failed.add(request.url())
  })
  return tab
}

async function answerRequest(
  _tab: WatchedTab,
  showing: Watched,
  request: HTTPRequest,
  isNavigation: boolean,
): Promise<void> {
  const url = request.url()
  if (/^(?:fetch|xhr)$/.test(request.resourceType())) showing.fetched.add(url)
  if (isHint(request)) showing.ahead.add(url)
  if (request.frame() === null) showing.byWorkers.add(url)
  const answered = await showing.answer(request, isNavigation)
  if (answered && answered !== 'file' && answered.status >= 400) showing.failed.add(url)
  if (answered && !isNavigation) showing.loaded.add(url)
  if (answered && !isNavigation && request.isNavigationRequest()) showing.frames.add(url)
  if (answered && request.initiator()?.type === 'script') showing.byScript.add(url)
  if (answered === 'file') await request.continue()
  else if (answered) await request.respond(answered)
  // An empty answer keeps the current page. After an error, the browser would show its error page.
  else if (isNavigation && (showing.staysOnReload || !sameFile(url, showing.address)))
    await request.respond({ status: 204 })
  else await request.abort('blockedbyclient')
  await showing.onAnswered?.(request, answered !== null)
}

/** Lists the loaded files that browsers refuse on file://: data that scripts fetched, and all that workers loaded. */
export function listFetched({
  loaded,
  failed,
  fetched,
  byWorkers,
}: Pick<Watched, 'loaded' | 'failed' | 'fetched' | 'byWorkers'>): string[] {
  return [...loaded].filter(url => !failed.has(url) && (fetched.has(url) || byWorkers.has(url))).sort()
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
  const end = message.search(/\bviolates\b/)
  const before = message.includes('Content Security Policy', end) ? message.slice(0, Math.max(0, end)) : ''
  const address = /https?:\/\/[^\s'"]+/.exec(before)?.[0].replace(/\.$/, '')
  return address !== undefined && URL.canParse(address) ? address : null
}

function describePageError(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  // On file://, the browser adds this prefix, because a page and its scripts have different origins.
  const plain = text.replace(/^(?:Error: )?Uncaught (?:\(in promise\) )?(?=\w*Error\b)/, '')
  return plain.split('\n')[0]?.slice(0, maxErrorLength) ?? ''
}
