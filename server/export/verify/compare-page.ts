import type { PageLook } from '../../web/browser/page-look.ts'
import type { PageViewer } from '../../web/browser/viewer.ts'
import { missingWords } from '../../web/html/page-text.ts'
import type { Difference, PlaceName, TextLoss } from '../model/report.ts'
import { findKnownFaults } from './known-faults.ts'
import type { MissedFiles } from './missed-files.ts'
import type { Place } from './places.ts'

/** A page as the origin showed it. */
export interface OriginLook extends PageLook {
  /** The words of the HTML alone; absent = unknown. */
  served?: readonly string[]
}

/** A page of the bundle, and its look at the origin. */
export interface SampledPage {
  path: string
  /** The path on the site, percent-encoded. */
  ownPath: string
  charset: string
  origin: OriginLook
  /** The page and fragment of the app that shows this page at the root of a host; null = no app shows this page. */
  app: { path: string; fragment: string } | null
}

/** The viewer that opens pages of a bundle, and the collectors of its findings. */
export interface PageCheck {
  viewer: Pick<PageViewer, 'look'>
  /** Whether no script of the site runs, so that a page is the same each time. */
  isInert?: boolean
  /** Collects failed requests. */
  missed?: Pick<MissedFiles, 'note'>
  /** Collects pages that look right although their scripts do nothing. */
  idle?: Difference[]
  /** Collects differences that do not decide where scripts run. */
  remarks?: Remark[]
}

/** A difference that decides nothing. */
export interface Remark extends Difference {
  /** Whether the loss counts only together with those of other pages. */
  isSmall?: boolean
}

/** Max words that a page, or what scripts make on it, may lose. Clocks and counters change a few words. */
const maxLostWords = 3
const maxLostShare = 0.02
/** Max words of a heading that a report quotes. */
const maxShownWords = 8

/** What is wrong with a page that the browser gives up. */
export const cannotShow = 'the browser cannot show the page'

/**
 * Max attempts. A failed page is opened again, because a busy machine may have caused the failure. A missing file is missing
 * again.
 */
const attempts = 2

/** Opens a page in a place and compares it with the origin. Returns null when nothing is lost. */
export async function comparePage(check: PageCheck, place: Place, page: SampledPage): Promise<Difference | null> {
  const { viewer, isInert = false, missed, idle, remarks } = check
  let difference: Difference | null = null
  for (let attempt = 0; attempt < (isInert ? 1 : attempts); attempt += 1) {
    const { controls, follows } = page.origin
    const wish = { pressesTheme: page.origin.switchesTheme === true, controls, follows }
    const look = await viewer.look(addressOf(page, place), place.answer, wish)
    const fault: Fault | null = look ? findFault(look, page.origin, place) : { what: cannotShow }
    if (fault === null) {
      if (page.origin.isTakenOver && !page.app && !look?.isTakenOver)
        idle?.push({ page: page.path, place: place.name, what: 'its scripts run but do not hydrate it' })
      if (page.origin.switchesTheme && !look?.switchesTheme)
        remarks?.push({ page: page.path, place: place.name, what: 'its theme button changes nothing' })
      if (look && look.deadControls.length > 0)
        remarks?.push({ page: page.path, place: place.name, what: describeDead(look.deadControls) })
      const loss = look && findSmallLoss(look, page.origin)
      if (loss) remarks?.push({ page: page.path, place: place.name, what: describeLoss(loss), loss, isSmall: true })
      return null
    }
    const { isCertain = false, ...found } = fault
    difference = { page: page.path, place: place.name, ...found }
    if (look) missed?.note(look, place)
    if (isCertain) break
  }
  return difference
}

function describeDead(names: readonly string[]): string {
  return `controls that worked at the origin do nothing: ${names.map(name => `"${name}"`).join(', ')}`
}

interface Fault extends Pick<Difference, 'what' | 'loss'> {
  /** Whether the page has the fault each time. */
  isCertain?: boolean
}

function addressOf({ path, app }: SampledPage, place: Place): string {
  return app && place.name === 'root' ? place.address(app.path) + app.fragment : place.address(path)
}

/** Describes a fault that the page has only in the bundle; null when there is none. */
function findFault(look: PageLook, origin: OriginLook, place: Place): Fault | null {
  const loss = findLoss(look, origin) ?? findPartLoss(look, origin)
  const error = findError(look, origin, place) ?? findLostLink(look, origin) ?? findOtherHeading(look, origin)
  if (!error && !loss) return null
  if (!loss) return error
  return { ...(error ?? { what: describeLoss(loss) }), loss }
}

/** Finds a link that the page's scripts do not follow as at the origin. Without scripts, the browser follows it. */
function findLostLink({ isTakenOver, follows }: PageLook, origin: PageLook): Fault | null {
  if (!isTakenOver || !origin.follows || follows?.heading === origin.follows.heading) return null
  return { what: `its scripts do not follow the link "${origin.follows.name}"` }
}

/** Finds headings that say something else, such as that of an app that does not know the address of the page. */
function findOtherHeading({ headingWords }: PageLook, origin: PageLook): Fault | null {
  const lost = missingWords(origin.headingWords, headingWords).filter(isWord)
  const other = missingWords(headingWords, origin.headingWords).filter(isWord)
  if (lost.length === 0 || other.length === 0) return null
  const show = (words: string[]) => words.slice(0, maxShownWords).join(' ')
  return { what: `its headings say "${show(other)}" in place of "${show(lost)}"` }
}

function findError(look: PageLook, origin: PageLook, place: Place): Fault | null {
  const local = (text: string) => text.replaceAll(place.root, '/')
  const { isKnownRequest, isKnownError } = findKnownFaults(origin, place, look.failed)
  const replaced = place.name === 'file' ? findReplaced(look.loaded.map(local), origin.loaded) : []
  const isReplaced = (fault: string) => replaced.some(path => fault === path || fault.includes(`${path}. `))
  const failed = look.failed
    .filter(address => !look.failedAhead.includes(address) && !isKnownRequest(address))
    .map(local)
    .find(address => !isReplaced(address))
  if (failed !== undefined) return { what: `a request fails: ${failed}`, isCertain: true }
  const error = look.errors
    .filter(error => !isKnownError(error))
    .map(local)
    .find(error => !isReplaced(error))
  return error === undefined ? null : { what: `an error: ${error}` }
}

/** Decides whether the origin has the fault too, perhaps under another host. */
export function isKnownFault(fault: string, known: readonly string[]): boolean {
  return known.some(other => withoutHost(other) === withoutHost(fault))
}

/** Max faults of the origin that a report names. */
const maxOriginFaults = 200

/** Lists the requests and errors that failed on pages of the origin itself. */
export function listOriginFaults(looks: Iterable<PageLook>): string[] {
  const found = [...looks].flatMap(({ failed, errors }) => [...failed, ...errors].map(withoutHost))
  return [...new Set(found)].sort().slice(0, maxOriginFaults)
}

/** Returns the text that the page lacks; null when it lacks no more than a few words. */
export function findLoss(
  look: Pick<PageLook, 'words' | 'headingWords'>,
  origin: Pick<PageLook, 'words'>,
): TextLoss | null {
  const lost = missingWords(origin.words, look.words)
  return isMuch(lost, origin.words) ? toLoss(lost, look, origin) : null
}

function isMuch(lost: readonly string[], of: readonly string[]): boolean {
  return lost.length > Math.max(maxLostWords, of.length * maxLostShare)
}

function toLoss(
  lost: readonly string[],
  { headingWords }: Pick<PageLook, 'headingWords'>,
  origin: Pick<PageLook, 'words'>,
) {
  const repeated = lost.length - missingWords(lost, headingWords).length
  return { words: lost.length, repeated, of: origin.words.length }
}

/**
 * Returns what the page lacks of the text that its scripts made at the origin: much of it, or all of it. A text that scripts
 * make anew each time, such as a time or a tip, is not lost if as many other words are in its place.
 */
export function findPartLoss(
  look: Pick<PageLook, 'words' | 'headingWords'>,
  { words, served }: Pick<OriginLook, 'words' | 'served'>,
): TextLoss | null {
  if (!served) return null
  const made = missingWords(words, served)
  const madeHere = missingWords(look.words, served)
  const lost = missingWords(made, madeHere)
  const isReplaced = lost.length <= missingWords(madeHere, made).length
  const isAll = lost.length === made.length && lost.some(isWord)
  return !isReplaced && (isAll || isMuch(lost, made)) ? toLoss(lost, look, { words }) : null
}

function isWord(text: string): boolean {
  return /\p{Letter}/u.test(text)
}

/** Returns the few words that the page lacks; null for none. Numbers do not count: clocks and counters change them. */
function findSmallLoss(look: PageLook, origin: PageLook): TextLoss | null {
  const lost = missingWords(origin.words, look.words).filter(isWord)
  return lost.length > missingWords(look.words, origin.words).length ? toLoss(lost, look, origin) : null
}

function describeLoss({ words, of }: TextLoss): string {
  return `${words} of ${of} words are not shown`
}

/** Drops small losses unless the pages lose more than a few words in a place together. */
export function countSmall(remarks: readonly Remark[]): Difference[] {
  const sums = new Map<PlaceName, number>()
  for (const { place, loss, isSmall } of remarks)
    if (isSmall) sums.set(place, (sums.get(place) ?? 0) + (loss?.words ?? 0))
  return remarks.flatMap(({ isSmall = false, ...difference }) =>
    isSmall && (sums.get(difference.place) ?? 0) <= maxLostWords ? [] : [difference],
  )
}

/**
 * Finds the data that a page loaded only at the origin, if it loaded a file with the same name and another extension here.
 * Sites made for file:// also provide their data as scripts.
 */
function findReplaced(loaded: readonly string[], atOrigin: readonly string[]): string[] {
  const known = atOrigin.map(withoutHost)
  const bare = (path: string) => path.split(/\.\w+(?:\?|$)/, 1)[0] ?? ''
  const fresh = new Set(loaded.filter(path => !known.includes(path)).map(bare))
  return known.filter(path => !loaded.includes(path) && fresh.has(bare(path)))
}

function withoutHost(text: string): string {
  return text.replaceAll(/(?:https?|wss?|file):\/\/[^/\s]*\//g, '/')
}
