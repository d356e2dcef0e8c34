import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExportReport } from '../../../server/export/model/report.ts'
import { clickLink, isSamePage } from './click-link.ts'
import { isHydrated } from './find-frameworks.ts'
import { pageKey } from './list-pages.ts'
import { lookAt } from './look-at-page.ts'
import { openPlaces, type Place, type PlaceName, placeNames } from './place.ts'
import { showsPanel } from './press-tab.ts'
import { pressTheme } from './press-theme.ts'
import type { Reference } from './read-origin.ts'
import type { Site } from './site.ts'
import { findFile } from './static-server.ts'
import { countHits } from './use-search.ts'
import { shareOfWords, subtractWords } from './visible-words.ts'
import type { Visitor } from './visitor.ts'

/** What a reader finds in one place. Undefined = the origin does not have it. */
export interface PlaceVerdict {
  /** Number of opened pages, and of those with all words of the origin and no others. */
  opened: number
  same: number
  /** The lowest share of the origin's words on an opened page. */
  leastShare: number
  /** Failed requests and errors that the origin does not have. */
  failed: string[]
  errors: string[]
  outbound: string[]
  isHydrated: boolean | undefined
  themeWorks: boolean | undefined
  tabsWork: boolean | undefined
  clickWorks: boolean | undefined
  /** Number of hits for each query. */
  hits: number[] | undefined
  /** Observations about single pages, for the one who looks for the cause. */
  remarks: string[]
}

export interface Verdict {
  pages: number
  /** Paths of the pages that the bundle does not have. */
  missing: string[]
  places: Record<PlaceName, PlaceVerdict>
}

interface Judging {
  /** Keys of the pages that the export has frozen on purpose. */
  frozen?: ReadonlySet<string>
  site: Site
  reference: Reference
  visitor: Visitor
}

/** A click must open a page with at least this share of the words that it opens at the origin. */
const leastClickShare = 0.95

/**
 * Compares an unpacked bundle with the origin in all three places, in a browser that reaches nothing else.
 *
 * @param folder absolute path of the unpacked bundle
 */
export async function judgeBundle(folder: string, given: Omit<Judging, 'frozen'>): Promise<Verdict> {
  const judging = { ...given, frozen: readFrozen(folder) }
  const { pages } = judging.reference
  const missing = pages.map(({ path }) => path).filter(path => findFile(folder, path) === null)
  const { places, close } = await openPlaces(folder)
  try {
    const verdicts = {} as Record<PlaceName, PlaceVerdict>
    for (const name of placeNames) verdicts[name] = await judgePlace(places[name], judging)
    return { pages: pages.length, missing, places: verdicts }
  } finally {
    await close()
  }
}

async function judgePlace(place: Place, judging: Judging): Promise<PlaceVerdict> {
  const verdict: PlaceVerdict = {
    opened: 0,
    same: 0,
    leastShare: 1,
    failed: [],
    errors: [],
    outbound: [],
    isHydrated: undefined,
    themeWorks: undefined,
    tabsWork: undefined,
    clickWorks: undefined,
    hits: undefined,
    remarks: [],
  }
  await judgePages(place, judging, verdict)
  await judgeClick(place, judging, verdict)
  await judgeTheme(place, judging, verdict)
  await judgeTab(place, judging, verdict)
  await judgeSearch(place, judging, verdict)
  return verdict
}

/** Reads the API references that the deployment may have only as text. Nobody expects their scripts to run. */
function readFrozen(folder: string): ReadonlySet<string> {
  try {
    const report = JSON.parse(readFileSync(join(folder, 'export-report.json'), 'utf8')) as Partial<ExportReport>
    return new Set(report.frozenReferences?.map(({ page }) => pageKey(page)))
  } catch {
    return new Set() // a bundle of another exporter has no report
  }
}

async function judgePages(place: Place, judging: Judging, verdict: PlaceVerdict): Promise<void> {
  const { site, reference, visitor, frozen } = judging
  for (const { path, look: wanted } of reference.sampled) {
    verdict.opened += 1
    const address = place.addressOf(path)
    const given =
      address === undefined
        ? 'the page is not in the bundle'
        : await lookAt(address, {
            place,
            visitor,
            hydrated: site.hydrated,
            isComplete: ({ words, frameworks }) =>
              subtractWords(wanted.words, words).length === 0 &&
              subtractWords(words, wanted.allWords).length === 0 &&
              (frozen?.has(pageKey(path)) || isHydrated(wanted.frameworks, frameworks) !== false),
          }).catch((error: Error) => error.message)
    if (typeof given === 'string') {
      verdict.leastShare = 0
      verdict.remarks.push(`${path}: ${given}`)
      continue
    }
    const lost = subtractWords(wanted.words, given.words)
    const added = subtractWords(given.words, wanted.allWords)
    if (lost.length === 0 && added.length === 0) verdict.same += 1
    verdict.leastShare = Math.min(verdict.leastShare, shareOfWords(wanted.words, given.words))
    if (lost.length > 0) verdict.remarks.push(`${path}: lost ${lost.length}: ${lost.slice(0, 12).join(' ')}`)
    if (added.length > 0) verdict.remarks.push(`${path}: added ${added.length}: ${added.slice(0, 12).join(' ')}`)
    const fresh = (lines: readonly string[], known: readonly string[]) => lines.filter(line => !known.includes(line))
    // What the origin asks of other hosts, the policy of the bundle refuses with a message, in any place and spelling. The origin's
    // request failed silently.
    const refused = wanted.outbound.map(
      line => URL.parse(line.replace(/^\S+ (\/\/)?(https?:\/\/)?/, 'http://'))?.hostname ?? '',
    )
    const isRefused = (line: string) => refused.some(host => host !== '' && line.includes(host))
    // What fails at the origin fails from file:// for another reason, and then also with a message.
    const broken = wanted.failed.map(line => line.replace(/ .*/, ''))
    const failed = given.failed.filter(line => !broken.includes(line.replace(/ .*/, '')) && !isRefused(line))
    verdict.failed.push(...failed.map(line => `${path}: ${line}`))
    const errors = given.errors.filter(
      line => !isRefused(line) && !broken.some(address => line.startsWith(`Access to XMLHttpRequest at '${address}'`)),
    )
    verdict.errors.push(...fresh(errors, wanted.errors).map(line => `${path}: ${line}`))
    verdict.outbound.push(...given.outbound.map(line => `${path}: ${line}`))
    const hydrated = frozen?.has(pageKey(path)) ? undefined : isHydrated(wanted.frameworks, given.frameworks)
    if (hydrated === undefined) continue
    verdict.isHydrated = hydrated && (verdict.isHydrated ?? true)
    if (!hydrated)
      verdict.remarks.push(
        `${path}: frameworks ${JSON.stringify(given.frameworks)} <> ${JSON.stringify(wanted.frameworks)}`,
      )
  }
}

async function judgeClick(place: Place, { reference, visitor, frozen }: Judging, verdict: PlaceVerdict): Promise<void> {
  const { click } = reference
  if (!click) return
  const address = place.addressOf(click.from)
  const landing =
    address === undefined
      ? undefined
      : await visitor
          .visit(address, place.host, page => clickLink(page, place, click.key))
          .then(({ acted }) => acted)
          .catch(() => undefined)
  const share = landing ? shareOfWords(click.words, landing.words) : 0
  // The text of a frozen reference is judged without the parts that the deployment may not have. Here, the click need only lead to it.
  const least = frozen?.has(click.key) ? 0 : leastClickShare
  verdict.clickWorks = isSamePage(click.key, landing) && share >= least
  if (verdict.clickWorks) return
  const where = landing
    ? `leads to ${landing.key ?? 'another host'} with ${percent(share)} of its words`
    : 'finds no link'
  verdict.remarks.push(`${click.from}: a click on the link to ${click.key} ${where}`)
}

async function judgeTheme(place: Place, { site, reference, visitor }: Judging, verdict: PlaceVerdict): Promise<void> {
  if (reference.themePage === undefined) return
  const address = place.addressOf(reference.themePage)
  verdict.themeWorks =
    address !== undefined &&
    (await visitor
      .visit(address, place.host, page => pressTheme(page, site.themeToggle))
      .then(({ acted }) => acted === true)
      .catch(() => false))
}

async function judgeTab(place: Place, { reference, visitor }: Judging, verdict: PlaceVerdict): Promise<void> {
  const { tab } = reference
  if (!tab) return
  const address = place.addressOf(tab.path)
  verdict.tabsWork =
    address !== undefined &&
    (await visitor
      .visit(address, place.host, page => showsPanel(page, tab))
      .then(({ acted }) => acted === true)
      .catch(() => false))
}

async function judgeSearch(place: Place, { site, reference, visitor }: Judging, verdict: PlaceVerdict): Promise<void> {
  if (site.search && reference.hits) verdict.hits = await countHits(site.search, place, visitor)
}

/** Rounds down, so that only all words are 100%. */
export function percent(share: number): string {
  return `${(Math.floor(share * 1000) / 10).toFixed(1).replace(/\.0$/, '')}%`
}
