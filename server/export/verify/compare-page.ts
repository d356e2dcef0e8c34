import type { PageLook } from '../../web/browser/page-look.ts'
import type { PageViewer } from '../../web/browser/viewer.ts'
import { missingWords } from '../../web/html/page-text.ts'
import type { Difference, TextLoss } from '../model/report.ts'
import { findKnownFaults } from './known-faults.ts'
import type { MissedFiles } from './missed-files.ts'
import type { Place } from './places.ts'

/** A page of the bundle, and its look at the origin. */
export interface SampledPage {
  path: string
  /** The path on the site, percent-encoded. */
  ownPath: string
  charset: string
  origin: PageLook
  /** The page and fragment of the app that shows this page at the root of a host; null = no app shows this page. */
  app: { path: string; fragment: string } | null
}

/** The viewer that opens pages of a bundle, and the collectors of its findings. */
export interface PageCheck {
  viewer: Pick<PageViewer, 'look'>
  /** Collects failed requests. */
  missed?: Pick<MissedFiles, 'note'>
  /** Collects pages that look right although their scripts do nothing. */
  idle?: Difference[]
  /** Collects differences that do not decide where scripts run. */
  remarks?: Difference[]
}

/** Max words that a page may lose. Clocks and counters change a few words. */
const maxLostWords = 3
const maxLostShare = 0.02

/**
 * Max attempts. A failed page is opened again, because a busy machine may have caused the failure. A missing file is missing
 * again.
 */
const attempts = 2

/** Opens a page in a place and compares it with the origin. Returns null when nothing is lost. */
export async function comparePage(check: PageCheck, place: Place, page: SampledPage): Promise<Difference | null> {
  const { viewer, missed, idle, remarks } = check
  let difference: Difference | null = null
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const wish = { pressesTheme: page.origin.switchesTheme === true, controls: page.origin.controls }
    const look = await viewer.look(addressOf(page, place), place.answer, wish)
    const fault: Fault | null = look
      ? findFault(look, page.origin, place)
      : { what: 'the browser cannot show the page' }
    if (fault === null) {
      if (page.origin.isTakenOver && !page.app && !look?.isTakenOver)
        idle?.push({ page: page.path, place: place.name, what: 'its scripts run but do not hydrate it' })
      if (page.origin.switchesTheme && !look?.switchesTheme)
        remarks?.push({ page: page.path, place: place.name, what: 'its theme button changes nothing' })
      if (look && look.deadControls.length > 0)
        remarks?.push({ page: page.path, place: place.name, what: describeDead(look.deadControls) })
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
function findFault(look: PageLook, origin: PageLook, place: Place): Fault | null {
  const loss = findLoss(look, origin)
  const error = findError(look, origin, place)
  if (!error && !loss) return null
  const fault = error ?? { what: `${loss?.words} of ${loss?.of} words are not shown` }
  return loss ? { ...fault, loss } : fault
}

function findError(look: PageLook, origin: PageLook, place: Place): Fault | null {
  const local = (text: string) => text.replaceAll(place.root, '/')
  const { isKnownRequest, isKnownError } = findKnownFaults(origin, place)
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

/** Returns the text that the page lacks; null when it lacks no more than a few words. */
export function findLoss(
  look: Pick<PageLook, 'words' | 'headingWords'>,
  origin: Pick<PageLook, 'words'>,
): TextLoss | null {
  const lost = missingWords(origin.words, look.words)
  if (lost.length <= Math.max(maxLostWords, origin.words.length * maxLostShare)) return null
  const repeated = lost.length - missingWords(lost, look.headingWords).length
  return { words: lost.length, repeated, of: origin.words.length }
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
  return text.replaceAll(/https?:\/\/[^/\s]+\//g, '/')
}
