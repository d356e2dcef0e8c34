import { viewerTabs } from '../../web/browser/viewer.ts'
import type { Difference, PlaceName, ScriptChoice } from '../model/report.ts'
import { freezeApp } from '../runtime/guard-app.ts'
import { freezePage, guardPage } from '../runtime/guard-page.ts'
import { comparePage, type PageCheck, type SampledPage } from './compare-page.ts'
import { createPlace, type Place } from './places.ts'

/** The reason why an app needs the root of a host. */
export const appsNeedRoot = 'its pages differ only in the fragment (#/page), so they need a web server'

/** A written bundle, and the pages to open in it. */
interface BundleCheck extends Omit<PageCheck, 'idle'> {
  folder: string
  sample: readonly SampledPage[]
}

/** A choice of the browser. */
interface CheckedChoice extends ScriptChoice {
  /** The places in which the finished bundle was not seen without a fault. */
  unseen: readonly PlaceName[]
}

/**
 * Opens the sampled pages of a written bundle, and decides where its scripts work as they do at the origin.
 *
 * @param isMovable whether the site's pages load their files by relative addresses. Other pages may look right in a folder
 * of a host until a script requests a file from the root.
 */
export async function chooseScripts(check: BundleCheck, isMovable: boolean): Promise<CheckedChoice> {
  const { folder, sample } = check
  const guarded = createPlace('root', folder, guardWith(sample, 'own path'))
  const onFile = await findFaultAway(check, createPlace('file', folder), guarded)
  const hosted = createPlace('folder', folder, onFile ? guardWith(sample, 'any path') : undefined)
  const inFolder = onFile && !isMovable ? onFile : await findFaultAway(check, hosted, guarded)
  // Scripts that work in a folder of a host also work at its root, except those of an app.
  const hasApp = sample.some(({ app }) => app !== null)
  if (!inFolder && !hasApp)
    return onFile
      ? { mode: 'hosted', reason: describe(onFile), unseen: ['folder', 'file'] }
      : { mode: 'everywhere', reason: null, unseen: [] }
  const atRoot = await findFault(check, guarded)
  if (!atRoot) {
    const awayFromRoot = onFile ?? inFolder
    const reason = awayFromRoot ? describe(awayFromRoot) : appsNeedRoot
    return { mode: 'guarded', reason, unseen: ['folder', 'file'] }
  }
  // Opens all pages, to record all missing files at once.
  await Promise.all(sample.map(page => comparePage(check, guarded, page)))
  // Scripts are removed only if the pages work without them.
  const withoutScripts = await findFault(check, createPlace('folder', folder, freezeWith(sample)))
  return {
    mode: withoutScripts ? 'guarded' : 'frozen',
    reason: describe(atRoot),
    unseen: ['root', 'folder', 'file'],
  }
}

/** Compares the sampled pages of the complete bundle with the origin, in each place. */
export async function findDifferences(
  { folder, sample, viewer }: Omit<BundleCheck, 'missed'>,
  places: readonly PlaceName[],
): Promise<Difference[]> {
  const differences: Difference[] = []
  for (const name of places) {
    const place = createPlace(name, folder)
    const found = await Promise.all(sample.map(page => comparePage({ viewer }, place, page)))
    differences.push(...found.flatMap(difference => difference ?? []))
  }
  return differences
}

type Change = (path: string, text: string) => string

/** Adds the guard to pages that are not guarded yet. */
function guardWith(sample: readonly SampledPage[], at: 'own path' | 'any path'): Change {
  const pages = byPath(sample)
  return (path, text) => {
    const page = pages.get(path)
    if (!page) return text
    return guardPage({ text, charset: page.charset }, path, at === 'own path' ? page.ownPath : null)
  }
}

function freezeWith(sample: readonly SampledPage[]): Change {
  const pages = byPath(sample)
  return (path, text) => {
    const page = pages.get(path)
    return page ? freezePage({ text, charset: page.charset }, path) : freezeApp(text)
  }
}

/** Returns the pages that contain their scripts, by path. */
function byPath(sample: readonly SampledPage[]): Map<string, SampledPage> {
  return new Map(sample.flatMap(page => (page.app ? [] : [[page.path, page] as const])))
}

/** Works like `findFault`, but also finds pages whose scripts do nothing in this place. */
async function findFaultAway(check: BundleCheck, place: Place, guarded: Place): Promise<Difference | null> {
  const idle: Difference[] = []
  return (await findFault({ ...check, idle }, place)) ?? (await findIdle(check, idle, guarded))
}

/** Returns the first sampled page that fails. Opens a few pages at once, and none after a fault. */
async function findFault(check: BundleCheck & PageCheck, place: Place): Promise<Difference | null> {
  const { sample } = check
  for (let at = 0; at < sample.length; at += at === 0 ? 1 : viewerTabs) {
    const batch = sample.slice(at, at === 0 ? 1 : at + viewerTabs)
    const found = await Promise.all(batch.map(page => comparePage(check, place, page)))
    const first = found.find(difference => difference !== null)
    if (first) return first
  }
  return null
}

/**
 * Finds a page whose scripts have an effect at the root of a host and none elsewhere, without any error. An effect at the
 * origin proves nothing: it may come from a product that the bundle lacks.
 */
async function findIdle({ viewer }: PageCheck, idle: readonly Difference[], atRoot: Place): Promise<Difference | null> {
  for (const difference of idle.slice(0, viewerTabs)) {
    const look = await viewer.look(atRoot.address(difference.page), atRoot.answer)
    if (look?.isTakenOver) return difference
  }
  return null
}

function describe({ page, place, what }: Difference): string {
  const where = { root: 'at the root of a host', folder: 'in a folder of a host', file: 'on file://' }[place]
  return `${page} ${where}: ${what}`
}
