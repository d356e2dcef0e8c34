import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { OutlineModel } from '../../in-page/outline/outline-model.ts'
import type { PageLook } from '../../web/browser/page-look.ts'
import { createViewer, type PageViewer } from '../../web/browser/viewer.ts'
import type { CollectedSite } from '../crawl/crawl-tools.ts'
import type { Difference, PlaceName, ScriptFindings, ScriptMode, SearchFindings } from '../model/report.ts'
import { runtimePath } from '../model/runtime-file.ts'
import { chooseAll } from './choose-groups.ts'
import type { CheckedChoice } from './choose-scripts.ts'
import { cannotShow, countSmall, listOriginFaults, type Remark } from './compare-page.ts'
import { findDifferences } from './find-differences.ts'
import { createFreshPages, enoughFresh, type FreshPages } from './fresh-pages.ts'
import { areMovable } from './judge-sample.ts'
import { createMissedFiles } from './missed-files.ts'
import { locatePages, type PlacedBundle, type Placing, type ScriptPlacerOptions } from './placing.ts'
import { sampleGroups } from './sample-groups.ts'
import { groupPages, listScriptedPages, lookAtOrigin, type ScriptedPage } from './sample-pages.ts'
import { type BundleSearch, startSearch } from './search-ahead.ts'
import { changeScripts, readThemes, writeLoader, writeRuntime } from './write-scripts.ts'

export interface ScriptPlacer {
  /** Keys of the pages to guard while they are written. Without a browser, rules decide before the bundle is written. */
  guardedAhead: ReadonlySet<string>
  /** Shows the sampled pages at the origin, and fills `seen.looks`. Called before the bundle is written. */
  look(): Promise<void>
  /** Makes the scripts of a written bundle run only where they work. Uses the search of the site while pages are opened. */
  place(bundle: PlacedBundle, search: BundleSearch): Promise<PlacedScripts>
  /**
   * Fetches the files that the check found missing, and learns from the pages with a fault. Returns true if the bundle has to be
   * written and placed again.
   */
  improve(bundle: PlacedBundle): Promise<boolean>
  /** Estimates how often pages are opened to place the scripts, and to look at the origin before if that is still to be done. */
  countViews(): { look: number; place: number }
  findings(): ScriptFindings
  /** Faults of pages that stand for others of their group. They could not be mended. */
  leftFaults(): Difference[]
  /** The browser, and what it saw of the site; null without a browser. */
  seen: SeenSite | null
}

interface PlacedScripts {
  /** Paths of added files. */
  added: string[]
  /** The result of `BundleSearch.compare`. */
  search: SearchFindings | null
}

/** What is known about the pages with scripts once a browser opened some of them. */
export interface SeenSite {
  viewer: PageViewer
  scripted: readonly ScriptedPage[]
  /** Pages as the origin showed them, by key: first those that the crawl showed. */
  looks: ReadonlyMap<string, PageLook>
  /** Looks at the pages of those groups whose pages were all opened. */
  wholeLooks(): PageLook[]
  /** Where the scripts of each page run, by key. Empty until the bundle is placed. */
  modes: Map<string, ScriptMode>
}

/** Max times that a bundle is written again to add missing files. */
const maxRounds = 6

/** Samples the pages with scripts. The browser starts only for a site with scripts. */
export async function createScriptPlacer(options: ScriptPlacerOptions): Promise<ScriptPlacer> {
  const { collected, files } = options
  const scripted = listScriptedPages(collected)
  const viewer = scripted.length > 0 ? openViewer(options) : null
  const groups = await sampleGroups(groupPages(scripted), options, viewer !== null)
  const looks = new Map(viewer ? options.looks : [])
  const guarded = groups.flatMap(({ ahead, pages }) =>
    ahead?.mode === 'guarded' ? pages.flatMap(({ page, app }) => (app ? [] : [page.key])) : [],
  )
  const placing: Placing = {
    ...options,
    ...{ groups, scripted, viewer, looks },
    missed: createMissedFiles(collected, files),
    guardedAhead: new Set(guarded),
    modes: new Map(),
    findings: {
      mode: 'none',
      reason: null,
      groups: [],
      decidedBy: viewer ? 'browser' : 'rule',
      ...{ checkedPages: [], heldOutPages: [], originFaults: [], differences: [] },
    },
  }
  const fresh = createFreshPages(placing)
  let rounds = 0
  return {
    guardedAhead: placing.guardedAhead,
    async look() {
      if (!viewer) return
      const sampled = groups.flatMap(group => group.sampled)
      for (const [key, look] of await lookAtOrigin({ ...options, viewer }, sampled)) looks.set(key, look)
    },
    place: (bundle, search) => placeScripts(placing, bundle, { search, fresh, isLast: rounds >= maxRounds }),
    async improve({ filePaths }) {
      const isFetched = rounds < maxRounds && (await placing.missed.fetch(filePaths))
      rounds += 1
      return (await fresh.improve(isFetched)) || isFetched
    },
    countViews: () => (viewer ? countViews(placing) : { look: 0, place: 0 }),
    findings: () => placing.findings,
    leftFaults: fresh.left,
    seen: viewer && { viewer, scripted, looks, wholeLooks: () => listWhole(placing), modes: placing.modes },
  }
}

/** Usually, a page is opened in two places of the bundle, and one that nothing was learned from at the origin, too. */
function countViews({ groups, looks }: Placing): { look: number; place: number } {
  const size = groups.length > 1 ? enoughFresh.more : enoughFresh.one
  const sampled = groups.flatMap(group => group.sampled)
  const fresh = groups.reduce((sum, { pages, sampled }) => sum + Math.min(size, pages.length - sampled.length), 0)
  return { look: sampled.filter(({ page }) => !looks.has(page.key)).length, place: 2 * sampled.length + 3 * fresh }
}

function listWhole({ groups, looks }: Placing): PageLook[] {
  return groups.flatMap(({ pages }) => {
    const opened = pages.flatMap(({ page }) => looks.get(page.key) ?? [])
    return opened.length === pages.length ? opened : []
  })
}

/** Returns null when no browser is wanted or found. */
function openViewer({ collected, limits, tabs, signal, verify, onView }: ScriptPlacerOptions): PageViewer | null {
  if (verify === 'static' || !tabs) return null
  const { pageTimeoutMs, pageRequests } = limits
  const isOutside = collected.products.leavesOutside
  const { look, search } = createViewer(tabs, { pageTimeoutMs, pageRequests, signal, isOutside })
  return {
    look: (...args) => look(...args).finally(onView),
    search,
  }
}

interface PlacedChecks {
  search: BundleSearch
  fresh: FreshPages
  isLast: boolean
}

async function placeScripts(
  placing: Placing,
  bundle: PlacedBundle,
  { search, fresh, isLast }: PlacedChecks,
): Promise<PlacedScripts> {
  const { scripted, hasSearch, viewer, missed } = placing
  const { folder } = bundle
  const hasCopies = hasInertPages(placing.collected)
  if (scripted.length === 0 && !hasCopies) return { added: [], search: null }
  // Written first, because the sampled pages are opened with it.
  const samples = placing.groups.flatMap(({ sampled }) => sampled.slice(0, 1))
  const themes = await readThemes(
    folder,
    bundle.paths,
    locatePages(placing.looks, samples, bundle).map(({ path }) => path),
  )
  const outlines = listOutlines(placing)
  await writeRuntime(folder, { ...themes, hasSearch, isHosted: false, outlines })
  const movable = await Promise.all(placing.groups.map(({ sampled }) => areMovable(placing.collected.site, sampled)))
  if (viewer) startSearch(scripted, bundle.pagePaths, { movable, search })
  const choices = await chooseAll(placing, bundle, movable)
  const { modes } = placing
  for (const [key, { mode }] of choices) modes.set(key, mode)
  const chosen = new Set(modes.values())
  const isHosted = chosen.has('hosted') && !chosen.has('guarded') && !chosen.has('frozen')
  if (isHosted) await writeRuntime(folder, { ...themes, hasSearch, isHosted, outlines })
  const loader = await writeLoader(bundle, scripted, modes)
  await changeScripts(bundle, scripted, { modes, guardedAhead: placing.guardedAhead, hasLoader: loader !== null })
  // A bundle that is written again anyway is checked later.
  const isComplete = isLast || !missed.isWaiting(bundle.filePaths)
  const [hits, differences] = viewer
    ? await Promise.all([
        search.compare(),
        findRemaining(placing, bundle, viewer, choices),
        fresh.check(isComplete ? bundle : null, viewer, choices),
      ])
    : [null, []]
  const { opened, differences: more, looks } = fresh.found()
  const { findings } = placing
  placing.findings = {
    ...findings,
    checkedPages: [...findings.checkedPages, ...opened],
    heldOutPages: opened.sort(),
    originFaults: listOriginFaults([...placing.looks.values(), ...looks]),
    differences: sortByPlace(countSmall([...differences, ...more])),
  }
  const hasRuntime = hasCopies || scripted.some(({ page, app }) => !app && !isUnchanged(modes.get(page.key)))
  const packed = await keepPacked(bundle, modes)
  return {
    added: [...(hasRuntime ? [runtimePath] : []), ...(loader === null ? [] : [loader]), ...packed],
    search: hits,
  }
}

/** Returns the paths of the copies for file://. Removes the copies if no scripts run there. */
async function keepPacked(
  { folder, packed }: PlacedBundle,
  modes: ReadonlyMap<string, ScriptMode>,
): Promise<readonly string[]> {
  if ([...modes.values()].includes('everywhere')) return packed
  for (const path of packed) await rm(join(folder, path))
  return []
}

/** Max different outlines of a site. */
const maxOutlines = 4

/** Lists the outlines that scripts made on the sampled pages, each one once. */
function listOutlines({ groups, looks }: Placing): OutlineModel[] {
  const found = groups.flatMap(({ sampled }) => sampled.flatMap(({ page }) => looks.get(page.key)?.outline ?? []))
  const byAnchor = new Map<string, OutlineModel>()
  for (const outline of found) {
    const known = byAnchor.get(outline.anchor)
    // A page with more levels of headings tells more.
    if (!known || known.levels.length < outline.levels.length) byAnchor.set(outline.anchor, outline)
  }
  return [...byAnchor.values()].slice(0, maxOutlines)
}

/** Decides whether the bundle has pages that are copies of what a browser shows. They load the runtime. */
function hasInertPages({ pages, apps }: CollectedSite): boolean {
  return [...pages].some(([key, outcome]) => outcome.state === 'page' && outcome.resource.rendered && !apps.has(key))
}

function isUnchanged(mode: ScriptMode | undefined): boolean {
  return mode === undefined || mode === 'none' || mode === 'everywhere'
}

/** Finds differences of the finished bundle in the places where the browser has not seen its pages without a fault. */
async function findRemaining(
  { groups, looks }: Placing,
  bundle: PlacedBundle,
  viewer: PageViewer,
  choices: ReadonlyMap<string, CheckedChoice>,
): Promise<Remark[]> {
  const found = await Promise.all(
    groups.map(({ sampled }) => {
      const unseen = sampled.flatMap(each => {
        const { mode = 'none', unseen: places = [] } = choices.get(each.page.key) ?? {}
        const located = places.length > 0 ? locatePages(looks, [each], bundle) : []
        return located.map(page => ({ page: mode === 'frozen' ? { ...page, app: null } : page, places, mode }))
      })
      return findDifferences({ folder: bundle.folder, viewer }, unseen)
    }),
  )
  const seen = [...new Set(choices.values())].flatMap(({ remarks }) => remarks)
  return [...seen, ...found.flat(), ...listUnshown(groups, looks, bundle)]
}

/** Lists the sampled pages that no browser could show at the origin either: nothing is known about them. */
function listUnshown(groups: Placing['groups'], looks: Placing['looks'], { pagePaths }: PlacedBundle): Difference[] {
  const unshown = groups.flatMap(({ sampled }) => sampled).filter(({ page: { key } }) => !looks.has(key))
  const paths = unshown.flatMap(({ page: { key } }) => pagePaths.get(key) ?? [])
  return paths.flatMap(page => placeOrder.map(place => ({ page, place, what: cannotShow })))
}

function sortByPlace(differences: readonly Difference[]): Difference[] {
  const rank = ({ place, page }: Difference) => `${placeOrder.indexOf(place)} ${page}`
  return differences.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1))
}

const placeOrder: readonly PlaceName[] = ['root', 'folder', 'file']
