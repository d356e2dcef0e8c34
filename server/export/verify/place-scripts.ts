import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { OutlineModel } from '../../in-page/outline/outline-model.ts'
import type { BrowserTabs } from '../../web/browser/browser-tabs.ts'
import type { PageLook } from '../../web/browser/page-look.ts'
import { createViewer, type PageViewer } from '../../web/browser/viewer.ts'
import type { CollectedSite } from '../crawl/crawl-tools.ts'
import type { Verify } from '../model/options.ts'
import type { Difference, PlaceName, ScriptFindings, ScriptMode, SearchFindings } from '../model/report.ts'
import { runtimePath } from '../model/runtime-file.ts'
import type { ExportLog } from '../model/stage-clock.ts'
import { type CheckedChoice, chooseForGroup, findDifferences, type GroupChoice } from './choose-scripts.ts'
import type { SampledPage } from './compare-page.ts'
import { areMovable, judgeSample } from './judge-sample.ts'
import { createMissedFiles, type MissedFiles } from './missed-files.ts'
import { findLike } from './pick-pages.ts'
import { type Group, sampleGroups } from './sample-groups.ts'
import { groupPages, listScriptedPages, lookAtOrigin, type OriginLooks, type ScriptedPage } from './sample-pages.ts'
import { describeGroups } from './script-groups.ts'
import { type BundleSearch, startSearch } from './search-ahead.ts'
import { changeScripts, readThemes, writeLoader, writeRuntime } from './write-scripts.ts'

export interface ScriptPlacer {
  /** Keys of the pages to guard while they are written. Without a browser, rules decide before the bundle is written. */
  guardedAhead: ReadonlySet<string>
  /** Shows the sampled pages at the origin, and fills `seen.looks`. Called before the bundle is written. */
  look(): Promise<void>
  /** Makes the scripts of a written bundle run only where they work. Uses the search of the site while pages are opened. */
  place(bundle: PlacedBundle, search: BundleSearch): Promise<PlacedScripts>
  /** Fetches the files that the bundle check found missing. Returns true if the bundle has to be written again with them. */
  fetchMissed(): Promise<boolean>
  findings(): ScriptFindings
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
  /** Where the scripts of each page run, by key. Empty until the bundle is placed. */
  modes: Map<string, ScriptMode>
}

/** A written bundle. */
interface PlacedBundle {
  folder: string
  /** Paths of the pages, by key. */
  pagePaths: ReadonlyMap<string, string>
  /** Paths of all files. */
  paths: readonly string[]
  /** Paths of the copies that scripts read on file://. They are removed if no scripts run there. */
  packed: readonly string[]
}

interface ScriptPlacerOptions extends Omit<OriginLooks, 'viewer' | 'limits'> {
  limits: OriginLooks['limits'] & { pageTimeoutMs: number; pageRequests: number }
  verify: Verify
  /** The tabs of the export's browser; null when no browser is installed. */
  tabs: BrowserTabs | null
  /** Whether the bundle has an offline search. */
  hasSearch: boolean
  signal: AbortSignal
  log: ExportLog | undefined
}

interface Placing extends ScriptPlacerOptions {
  groups: readonly Group[]
  scripted: readonly ScriptedPage[]
  /** Null without a browser, and when there is no page to open. */
  viewer: PageViewer | null
  /** Pages as the origin showed them, by key. */
  looks: Map<string, PageLook>
  missed: MissedFiles
  guardedAhead: ReadonlySet<string>
  findings: ScriptFindings
  modes: SeenSite['modes']
}

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
      checkedPages: [],
      differences: [],
    },
  }
  return {
    guardedAhead: placing.guardedAhead,
    async look() {
      if (!viewer) return
      const sampled = groups.flatMap(group => group.sampled)
      for (const [key, look] of await lookAtOrigin({ ...options, viewer }, sampled)) looks.set(key, look)
    },
    place: (bundle, search) => placeScripts(placing, bundle, search),
    fetchMissed: placing.missed.fetch,
    findings: () => placing.findings,
    seen: viewer && { viewer, scripted, looks, modes: placing.modes },
  }
}

/** Returns null when no browser is wanted or found. */
function openViewer({ collected, limits, tabs, signal, verify }: ScriptPlacerOptions) {
  if (verify === 'static' || !tabs) return null
  const { pageTimeoutMs, pageRequests } = limits
  return createViewer(tabs, { pageTimeoutMs, pageRequests, signal, isOutside: collected.products.leavesOutside })
}

async function placeScripts(placing: Placing, bundle: PlacedBundle, search: BundleSearch): Promise<PlacedScripts> {
  const { scripted, hasSearch, viewer } = placing
  const { folder } = bundle
  const hasCopies = hasInertPages(placing.collected)
  if (scripted.length === 0 && !hasCopies) return { added: [], search: null }
  // Written first, because the sampled pages are opened with it.
  const samples = placing.groups.flatMap(({ sampled }) => sampled.slice(0, 1))
  const themes = await readThemes(
    folder,
    bundle.paths,
    locateSample(placing.looks, samples, bundle).map(({ path }) => path),
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
  const [hits, differences] = viewer
    ? await Promise.all([search.compare(), findRemaining(placing, bundle, viewer, choices)])
    : [null, []]
  placing.findings.differences = differences
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

/** Returns the sampled pages that are in the bundle and were shown at the origin. */
function locateSample(
  looks: Placing['looks'],
  sampled: readonly ScriptedPage[],
  { pagePaths }: PlacedBundle,
): SampledPage[] {
  const located = sampled.flatMap(({ page: { key, url, charset }, app: shownBy }) => {
    const path = pagePaths.get(key)
    const appPath = shownBy && pagePaths.get(shownBy.key)
    const origin = looks.get(key)
    const app = appPath ? { path: appPath, fragment: url.hash } : null
    return path !== undefined && origin ? [{ path, ownPath: url.pathname, charset, origin, app }] : []
  })
  // Following a link takes as long as opening a page, so only the first page follows one.
  return located.map((page, at) => (at === 0 ? page : { ...page, origin: { ...page.origin, follows: null } }))
}

/** Chooses where the scripts of each group run, and records the choices. Returns the choice for each page, by key. */
async function chooseAll(
  placing: Placing,
  bundle: PlacedBundle,
  movable: readonly boolean[],
): Promise<ReadonlyMap<string, CheckedChoice>> {
  const { groups, looks, viewer, log } = placing
  const choices = new Map<string, CheckedChoice>()
  const chosen: { group: Group; choice: GroupChoice }[] = []
  const made = await Promise.all(
    groups.map((group, at) => chooseOne(placing, group, { bundle, isMovable: movable[at] === true })),
  )
  for (const [at, group] of groups.entries()) {
    const choice = made[at]
    if (!choice) continue
    chosen.push({ group, choice })
    for (const { page } of group.pages) choices.set(page.key, choice.choice)
    for (const [odd, alone] of choice.unlike)
      for (const { page } of likeIt(group, odd, choice, bundle)) choices.set(page.key, alone)
  }
  const checked = groups.flatMap(({ sampled }) => locateSample(looks, sampled, bundle).map(({ path }) => path))
  const decidedBy = viewer !== null && checked.length > 0 ? 'browser' : 'rule'
  const described = describeGroups(
    chosen.map(({ group, choice }) => ({ pages: group.pages, ...choice })),
    bundle.pagePaths,
  )
  log?.({ ...described, decidedBy, sample: checked.length }, 'scripts of the site judged')
  placing.findings = { ...described, decidedBy, checkedPages: checked, differences: [] }
  return choices
}

/** Lists the pages of a group that share the choice of an unlike page, because they have the same unusual markup. */
function likeIt(
  { pages, sampled }: Group,
  path: string,
  { unlike }: GroupChoice,
  { pagePaths }: PlacedBundle,
): ScriptedPage[] {
  const pathOf = ({ page }: ScriptedPage) => pagePaths.get(page.key) ?? ''
  const odd = sampled.find(page => pathOf(page) === path)
  const usual = sampled.filter(page => !unlike.has(pathOf(page)))
  const unlikeAlone = (page: ScriptedPage) => page === odd || !sampled.includes(page)
  return odd ? findLike(odd, usual, pages).filter(unlikeAlone) : []
}

async function chooseOne(
  { looks, viewer, missed }: Placing,
  { sampled, ahead }: Group,
  { bundle, isMovable }: { bundle: PlacedBundle; isMovable: boolean },
): Promise<GroupChoice> {
  const sample = locateSample(looks, sampled, bundle)
  if (viewer === null || sample.length === 0)
    return { choice: { ...(ahead ?? (await judgeSample(sampled))), unseen: [], remarks: [] }, unlike: new Map() }
  const check = { folder: bundle.folder, sample, viewer, missed }
  return chooseForGroup(check, isMovable)
}

/** Finds differences of the finished bundle in the places where the browser has not seen its pages without a fault. */
async function findRemaining(
  { groups, looks }: Placing,
  bundle: PlacedBundle,
  viewer: PageViewer,
  choices: ReadonlyMap<string, CheckedChoice>,
): Promise<Difference[]> {
  const found = await Promise.all(
    groups.map(({ sampled }) => {
      const unseen = sampled.flatMap(each => {
        const { mode = 'none', unseen: places = [] } = choices.get(each.page.key) ?? {}
        const located = places.length > 0 ? locateSample(looks, [each], bundle) : []
        return located.map(page => ({ page: mode === 'frozen' ? { ...page, app: null } : page, places }))
      })
      return findDifferences({ folder: bundle.folder, viewer }, unseen)
    }),
  )
  const seen = [...new Set(choices.values())].flatMap(({ remarks }) => remarks)
  return [...seen, ...found.flat()].sort((a, b) => placeOrder.indexOf(a.place) - placeOrder.indexOf(b.place))
}

const placeOrder: readonly PlaceName[] = ['root', 'folder', 'file']
