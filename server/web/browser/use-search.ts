import { setTimeout as sleep } from 'node:timers/promises'
import type { ElementHandle, Page } from 'puppeteer'
import { findSearch, readHits } from './in-page.ts'
import { settle } from './settle.ts'
import { clearStorage, type Showing, type Tab } from './tab.ts'
import { listFetched, type Watched } from './watched-tab.ts'

/** Whether a search shows its hits while a person types, or after the return key. */
export type SearchWay = 'typed' | 'sent'

/** The words to search for. */
export interface SearchTask {
  /** A word that the site does not contain. What the page also shows for this word is no hit. */
  unknown: string
  /** Words to try in order. `enough` = how many hits of a word are enough; absent = count all. */
  words: readonly { word: string; enough?: number }[]
  /** Ends after so many words with hits. */
  wanted: number
  /** How the search works at the origin, and how many looks it needs there; absent = find out. */
  known?: Pick<SearchUse, 'way' | 'looks'>
}

/** The hits of a search for a word. */
export interface WordHits {
  word: string
  hits: number
  /** Addresses of the files that the page loaded for this word, and not before, sorted. */
  loaded: string[]
}

/** The result of using the search of a page. */
export interface SearchUse {
  way: SearchWay
  /** How often the page was read before it showed its first hit, at most. */
  looks: number
  /** The words that were tried. */
  words: WordHits[]
  /** Addresses of the files that the page loaded before the first word, sorted. */
  loaded: string[]
  /** The addresses among all of these that are pages in frames. */
  frames: string[]
  /** The addresses among all of these that browsers refuse on file://: data that scripts fetched, and all that workers loaded. */
  fetched: string[]
}

/** A page whose search is used, and the addresses that it loaded so far. */
interface Searched extends Showing, Pick<Watched, 'loaded' | 'failed' | 'fetched' | 'byWorkers' | 'frames'> {
  address: string
}

interface Searching {
  tab: Tab
  showing: Searched
  task: SearchTask
  way: SearchWay
  timeoutMs: number
  /** Until when further words are tried. */
  deadline: number
}

/** Max share of the time limit for a page. A tab repeats what exceeds the limit. */
const maxShare = 0.8
const openMs = 1500
const pauseMs = 150
/**
 * How often to look for the first hit while the page is quiet. Counts looks, not time, because pages need longer on a busy
 * machine. A search may load its index for the first word. Fewer for a further word, and once a search found nothing.
 */
const maxLooks = { first: 14, further: 6, vain: 4 }
/** How many words without hits are enough to try another way. */
const maxVain = 3
const maxFrames = 10

/** Uses the search of a page as a reader does: types words, and counts the links that appear. Null = it has no field. */
export async function useSearch(
  tab: Tab,
  showing: Searched,
  task: SearchTask,
  timeoutMs: number,
): Promise<SearchUse | null> {
  const open = { tab, showing, task, timeoutMs, deadline: performance.now() + timeoutMs * maxShare }
  let last: SearchUse | null = null
  await openPage(open)
  for (const [at, way] of (task.known ? [task.known.way] : await listWays(open)).entries()) {
    if (at > 0) await openPage(open)
    last = await searchBy({ ...open, way })
    if (last.words.some(({ hits }) => hits > 0)) break
  }
  return last
}

/** Lists the ways to try on the open page, best first; none when it has no field. */
async function listWays(searching: Pick<Searching, 'tab' | 'showing'>): Promise<SearchWay[]> {
  if (!(await showField(searching))) return []
  return (await findSearch(searching.tab.page, 'form')) ? ['sent', 'typed'] : ['typed', 'sent']
}

async function searchBy(searching: Searching): Promise<SearchUse> {
  const { showing, task, way, deadline } = searching
  const others = countTexts((await ask(searching, task.unknown, null)).texts)
  const loaded = [...showing.loaded].sort()
  const words: WordHits[] = []
  let looks = 0
  for (const { word, enough = Number.POSITIVE_INFINITY } of task.words) {
    const found = words.filter(({ hits }) => hits > 0).length
    const isVain = found === 0 && words.length > 0
    if (found >= task.wanted || performance.now() > deadline) break
    if (isVain && !task.known && words.length >= maxVain) break
    const before = new Set(showing.loaded)
    // A page with hits loads the index again.
    const usual = isVain ? maxLooks.vain : found > 0 && way === 'typed' ? maxLooks.further : maxLooks.first
    const most = task.known && !isVain ? maxLooks.further + 3 * task.known.looks : usual
    const shown = await ask(searching, word, { others, enough, looks: most })
    const hits = Math.min(enough, countOthers(shown.texts, others))
    // The page had no time to show all hits.
    if (hits < enough && performance.now() > deadline) break
    if (hits > 0) looks = Math.max(looks, shown.looks)
    words.push({ word, hits, loaded: [...showing.loaded].filter(address => !before.has(address)).sort() })
    // So many hits show that the search works. Another word would wait until the page has loaded them all.
    if (hits >= enough && !task.known) break
  }
  return { way, looks, words, loaded, frames: [...showing.frames].sort(), fetched: listFetched(showing) }
}

async function openPage({ tab, showing, timeoutMs }: Pick<Searching, 'tab' | 'showing' | 'timeoutMs'>): Promise<void> {
  await clearStorage(tab, new URL(showing.address), timeoutMs)
  await tab.page.goto(showing.address, { waitUntil: 'domcontentloaded', timeout: timeoutMs })
  await settle(tab, showing, performance.now() + timeoutMs * 0.2)
}

/** Returns the field of the search. Presses the button that shows it, if it is not shown. */
async function showField({ tab, showing }: Pick<Searching, 'tab' | 'showing'>): Promise<ElementHandle | null> {
  const { page } = tab
  const field = (await findSearch(page, 'form')) ?? (await findSearch(page, 'field'))
  if (field) return field
  const opener = await findSearch(page, 'opener')
  if (!opener) return null
  await opener.click().catch(() => {})
  const until = performance.now() + openMs
  while (performance.now() < until) {
    await settle(tab, showing, until)
    const shown = await findSearch(page, 'field').catch(() => null)
    if (shown) return shown
    await sleep(pauseMs)
  }
  return null
}

interface Expected {
  /** How often the page shows each text without hits. */
  others: ReadonlyMap<string, number>
  enough: number
  /** Max looks without a hit. */
  looks: number
}

interface Shown {
  /** The texts of the links that the page shows. */
  texts: string[]
  /** How many looks it took to see a hit. */
  looks: number
}

/** Searches for a word. Starts without the hits of an earlier word: they would count as hits of this one. */
async function ask(searching: Searching, word: string, expected: Expected | null): Promise<Shown> {
  const { tab, showing, way } = searching
  const { page } = tab
  // The address of a page with hits tells when the hits of the next word are shown.
  const isAtHits = way === 'sent' && new URL(page.url()).search !== new URL(showing.address).search
  const isReady = (await clearField(searching)) && (isAtHits || !expected || (await hasNoHits(searching, expected)))
  if (!isReady) {
    await openPage(searching)
    if (!(await clearField(searching))) return { texts: [], looks: 0 }
  }
  // A search that loads when its field is focused would miss what is typed before.
  if (!isReady || !expected) await settle(tab, showing, searching.deadline)
  await page.keyboard.type(word)
  if (way === 'sent') await page.keyboard.press('Enter')
  for (let look = 0; isAtHits && isReady && look < maxLooks.first && !hasWord(page.url(), word); look += 1) {
    await sleep(pauseMs)
    await settle(tab, showing, searching.deadline)
  }
  const shown = expected ? await waitForHits(searching, expected) : await waitForNothing(searching)
  // A key that leads to another page than the search page opened a hit.
  const isElsewhere = way === 'sent' && !hasWord(page.url(), word) && !isSamePath(page.url(), showing.address)
  return isElsewhere ? { texts: [], looks: 0 } : shown
}

/** Puts the cursor into the empty field. Returns false if there is none. */
async function clearField(searching: Searching): Promise<boolean> {
  const field = await showField(searching)
  if (!field) return false
  // A click also starts searches that load their index when the field is focused.
  await field.click({ count: 3 }).catch(() => field.focus())
  await searching.tab.page.keyboard.press('Backspace')
  return true
}

async function hasNoHits({ tab, showing, deadline }: Searching, { others }: Expected): Promise<boolean> {
  for (let look = 0; look < maxLooks.vain; look += 1) {
    await settle(tab, showing, deadline)
    if (countOthers(await readTexts(tab.page), others) === 0) return true
    await sleep(pauseMs)
  }
  return false
}

async function waitForHits({ tab, showing, deadline }: Searching, expected: Expected): Promise<Shown> {
  const { others, enough } = expected
  const { page } = tab
  let last = 0
  for (let looks = 1; ; looks += 1) {
    await settle(tab, showing, deadline)
    const texts = await readTexts(page)
    const hits = countOthers(texts, others)
    const isStable = hits > 0 && hits === last
    const isVain = hits === 0 && looks >= expected.looks
    if (hits >= enough || isStable || isVain || performance.now() > deadline) return { texts, looks }
    last = hits
    await sleep(pauseMs)
  }
}

/** Reads the page after it had time to show hits for a word without hits. */
async function waitForNothing({ tab, showing, deadline }: Searching): Promise<Shown> {
  for (let round = 0; round < 2; round += 1) {
    await settle(tab, showing, deadline)
    await sleep(2 * pauseMs)
  }
  return { texts: await readTexts(tab.page), looks: 0 }
}

/** Reads the page and the frames that it shows. Returns nothing while the page navigates. */
async function readTexts(page: Page): Promise<string[]> {
  try {
    const texts = await readHits(page.mainFrame())
    for (const frame of page.frames().slice(1, maxFrames)) {
      const element = await frame.frameElement()
      if (await element?.isVisible()) texts.push(...(await readHits(frame)))
    }
    return texts
  } catch {
    return []
  }
}

function hasWord(address: string, word: string): boolean {
  const { search, hash } = new URL(address)
  return (search + hash).toLowerCase().includes(encodeURIComponent(word).toLowerCase())
}

function isSamePath(address: string, other: string): boolean {
  return new URL(address).pathname === new URL(other).pathname
}

function countTexts(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return counts
}

/** Counts the texts that the page does not also show without hits. */
export function countOthers(texts: readonly string[], others: ReadonlyMap<string, number>): number {
  let count = 0
  for (const [text, times] of countTexts(texts)) count += Math.max(0, times - (others.get(text) ?? 0))
  return count
}
