import { type BundleViewer, type PageLook, viewerTabs } from '../../web/browser/viewer.ts'
import { countMissing } from '../../web/html/page-text.ts'
import type { Difference, PlaceName, ScriptChoice } from '../model/report.ts'
import { freezeApp } from '../runtime/guard-app.ts'
import { freezePage, guardPage } from '../runtime/guard-page.ts'
import type { MissedFiles } from './missed-files.ts'
import { createPlace, type Place } from './places.ts'

/** A page of the bundle, and what the origin showed there. */
export interface SampledPage {
  path: string
  /** On the site, as it stands in an address. */
  ownPath: string
  charset: string
  origin: PageLook
  /** The page that starts the app which shows this one at the root of a host, and by which fragment; null = this one does. */
  app: { path: string; fragment: string } | null
}

/** Why the pages of an app are others away from the root of a host. */
export const appsNeedRoot = 'fragments of one address (#/page) tell its pages apart, which needs a host'

/** Words that a page may lose: those that tell the time or count visitors change by themselves. */
const lostWords = 3
const lostShare = 0.02

/**
 * Opens the sampled pages of a written bundle and finds where its scripts keep what a reader sees, and do what they do.
 *
 * @param isMovable whether the site's pages name what they load by where they are themselves. Others may look right in a
 * folder of a host, until a script asks the root for something.
 */
export async function chooseScripts(
  folder: string,
  sample: readonly SampledPage[],
  isMovable: boolean,
  viewer: BundleViewer,
  missed: Pick<MissedFiles, 'note'>,
): Promise<ScriptChoice> {
  const byPath = new Map(sample.flatMap(page => (page.app ? [] : [[page.path, page] as const])))
  const guard = (ownPath: (page: SampledPage) => string | null) => (path: string, text: string) => {
    const page = byPath.get(path)
    return page ? guardPage({ text, charset: page.charset }, path, ownPath(page)) : text
  }
  const guarded = createPlace(
    'root',
    folder,
    guard(({ ownPath }) => ownPath),
  )
  const findFaultAway = async (place: Place) => {
    const idle: Difference[] = []
    return (await findFault(place, sample, viewer, missed, idle)) ?? (await findIdle(idle, guarded, viewer))
  }
  const onFile = await findFaultAway(createPlace('file', folder))
  const hosted = createPlace('folder', folder, onFile ? guard(() => null) : undefined)
  const inFolder = onFile && !isMovable ? onFile : await findFaultAway(hosted)
  const awayFromRoot = onFile ?? inFolder
  // What works in a folder of a host works at its root. An app is in its place there only.
  const hasApp = sample.some(({ app }) => app !== null)
  if (!inFolder && !hasApp)
    return onFile ? { mode: 'hosted', reason: describe(onFile) } : { mode: 'everywhere', reason: null }
  const atRoot = await findFault(guarded, sample, viewer, missed)
  // All that is missing where the scripts run is wanted at once, not the first of it.
  if (atRoot) await Promise.all(sample.map(page => compare(guarded, page, viewer, missed)))
  if (!atRoot) return { mode: 'guarded', reason: awayFromRoot ? describe(awayFromRoot) : appsNeedRoot }
  const frozen = createPlace('folder', folder, (path, text) => {
    const page = byPath.get(path)
    return page ? freezePage({ text, charset: page.charset }, path) : freezeApp(text)
  })
  // Left out are only scripts that the pages can do without.
  const without = await findFault(frozen, sample, viewer, missed)
  return { mode: without ? 'guarded' : 'frozen', reason: describe(atRoot) }
}

/**
 * A page that keeps its words where its scripts do nothing, without any error, but do at the root. That the origin's do is
 * not enough to know: the bundle may be without a product that did it.
 */
async function findIdle(idle: readonly Difference[], atRoot: Place, viewer: BundleViewer): Promise<Difference | null> {
  for (const difference of idle.slice(0, viewerTabs)) {
    const look = await viewer.look(atRoot.address(difference.page), atRoot.answer)
    if (look?.isTakenOver) return difference
  }
  return null
}

/** What the sampled pages lack in each place, when everything is in its final form. */
export async function findDifferences(
  folder: string,
  sample: readonly SampledPage[],
  places: readonly PlaceName[],
  viewer: BundleViewer,
): Promise<Difference[]> {
  const differences: Difference[] = []
  for (const name of places) {
    const place = createPlace(name, folder)
    const found = await Promise.all(sample.map(page => compare(place, page, viewer)))
    differences.push(...found.flatMap(difference => difference ?? []))
  }
  return differences
}

/** The first of the sampled pages, in their order, that fails; a few are tried at once, those after a fault are not. */
async function findFault(
  place: Place,
  sample: readonly SampledPage[],
  viewer: BundleViewer,
  missed: Pick<MissedFiles, 'note'>,
  idle?: Difference[],
): Promise<Difference | null> {
  for (let at = 0; at < sample.length; at += at === 0 ? 1 : viewerTabs) {
    const batch = sample.slice(at, at === 0 ? 1 : at + viewerTabs)
    const found = await Promise.all(batch.map(page => compare(place, page, viewer, missed, idle)))
    const first = found.find(difference => difference !== null)
    if (first) return first
  }
  return null
}

/**
 * Opens a page; again when it fails, since a busy machine must not decide what a bundle holds.
 *
 * @param idle gets the page when it is as it should be and its scripts do nothing there.
 */
async function compare(
  place: Place,
  page: SampledPage,
  viewer: BundleViewer,
  missed?: Pick<MissedFiles, 'note'>,
  idle?: Difference[],
): Promise<Difference | null> {
  let what: string | null = null
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const look = await viewer.look(addressOf(page, place), place.answer)
    what = look ? explain(look, page.origin, place) : 'the browser cannot show the page'
    if (what === null) {
      if (page.origin.isTakenOver && !page.app && !look?.isTakenOver)
        idle?.push({ page: page.path, place: place.name, what: 'its scripts run and do not take it over' })
      return null
    }
    if (look) missed?.note(look, place)
  }
  return { page: page.path, place: place.name, what: what ?? '' }
}

function addressOf({ path, app }: SampledPage, place: Place): string {
  return app && place.name === 'root' ? place.address(app.path) + app.fragment : place.address(path)
}

/** What a page has less, or more faults, than at the origin; null when nothing. */
function explain(look: PageLook, origin: PageLook, place: Place): string | null {
  const local = (text: string) => text.replaceAll(place.root, '/')
  const isKnown = (fault: string, known: readonly string[]) =>
    known.some(other => other === fault || withoutHost(other) === fault)
  const replaced = place.name === 'file' ? findReplaced(look.loaded.map(local), origin.loaded) : []
  const isReplaced = (fault: string) => replaced.some(path => fault === path || fault.includes(`${path}. `))
  const failed = look.failed.map(local).filter(address => !isKnown(address, origin.failed) && !isReplaced(address))
  if (failed[0] !== undefined) return `a request fails: ${failed[0]}`
  const errors = look.errors.map(local).filter(error => !isKnown(error, origin.errors) && !isReplaced(error))
  if (errors[0] !== undefined) return `an error: ${errors[0]}`
  const lost = countMissing(origin.words, look.words)
  if (lost > Math.max(lostWords, origin.words.length * lostShare))
    return `${lost} of ${origin.words.length} words are not shown`
  return null
}

/**
 * The data that a page asked for at the origin and did without here, since it loaded a file of the same name with another
 * ending: sites that are made for file:// bring their data as a script as well.
 */
function findReplaced(loaded: readonly string[], atOrigin: readonly string[]): string[] {
  const known = atOrigin.map(withoutHost)
  const bare = (path: string) => path.replace(/\.\w+(?:\?.*)?$/, '')
  const fresh = new Set(loaded.filter(path => !known.includes(path)).map(bare))
  return known.filter(path => !loaded.includes(path) && fresh.has(bare(path)))
}

function withoutHost(text: string): string {
  return text.replaceAll(/https?:\/\/[^/\s]+\//g, '/')
}

function describe({ page, place, what }: Difference): string {
  const where = { root: 'at the root of a host', folder: 'in a folder of a host', file: 'on file://' }[place]
  return `${page} ${where}: ${what}`
}
