import { findBrowser } from '../../web/browser/find-browser.ts'
import { type BundleViewer, openBundleViewer, type PageLook } from '../../web/browser/viewer.ts'
import type { Verify } from '../model/options.ts'
import type { Difference, ScriptChoice, ScriptFindings, ScriptMode } from '../model/report.ts'
import type { SharedLimits } from '../model/shared-limits.ts'
import type { ExportLog } from '../model/stage-clock.ts'
import { runtimePath } from '../runtime/guard-page.ts'
import { type CheckedChoice, chooseForGroup, findDifferences, type GroupChoice } from './choose-scripts.ts'
import type { SampledPage } from './compare-page.ts'
import { areMovable, judgeSample } from './judge-sample.ts'
import { createMissedFiles, type MissedFiles } from './missed-files.ts'
import {
  groupPages,
  listScriptedPages,
  lookAtOrigin,
  type OriginLooks,
  pickSample,
  type ScriptedPage,
} from './sample-pages.ts'
import { describeGroups } from './script-groups.ts'
import { changeScripts, readThemes, writeLoader, writeRuntime } from './write-scripts.ts'

export interface ScriptPlacer {
  /** Keys of the pages to guard while they are written. Without a browser, rules decide before the bundle is written. */
  guardedAhead: ReadonlySet<string>
  /** Makes the scripts of a written bundle run only where they work. Returns the paths of added files. */
  place(bundle: PlacedBundle): Promise<string[]>
  /** Fetches the files that the bundle check found missing. Returns true if the bundle has to be written again with them. */
  fetchMissed(): Promise<boolean>
  findings(): ScriptFindings
  /** The browser, and what it saw of the site; null without a browser. */
  seen: SeenSite | null
  close(): Promise<void>
}

/** What is known about the pages with scripts once a browser opened some of them. */
export interface SeenSite {
  viewer: BundleViewer
  scripted: readonly ScriptedPage[]
  /** Pages as the origin showed them, by key. */
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
}

interface ScriptPlacerOptions extends Omit<OriginLooks, 'viewer' | 'limits'> {
  limits: OriginLooks['limits'] & { pageTimeoutMs: number; pageRequests: number }
  verify: Verify
  /** Whether the bundle has an offline search. */
  hasSearch: boolean
  profileFolder: string
  share: SharedLimits['share']
  signal: AbortSignal
  log: ExportLog | undefined
}

/**
 * Max pages of a group that a browser opens by default, if the site has one group, two, or more. With `verify: full`, it
 * opens all pages with scripts.
 */
const sampleSizes = [8, 5, 3]

/** Pages that load the same scripts. */
interface Group {
  pages: readonly ScriptedPage[]
  sampled: readonly ScriptedPage[]
  /** The choice made before the bundle was written; null with a browser. */
  ahead: ScriptChoice | null
}

interface Placing extends ScriptPlacerOptions {
  groups: readonly Group[]
  scripted: readonly ScriptedPage[]
  /** Null without a browser, and when there is no page to open. */
  viewer: BundleViewer | null
  /** Pages as the origin showed them, by key. */
  looks: ReadonlyMap<string, PageLook>
  missed: MissedFiles
  guardedAhead: ReadonlySet<string>
  findings: ScriptFindings
  modes: SeenSite['modes']
}

/** Shows the sampled pages at the origin before the bundle is written. The browser starts only for a site with scripts. */
export async function createScriptPlacer(options: ScriptPlacerOptions): Promise<ScriptPlacer> {
  const { collected, files, verify } = options
  const scripted = listScriptedPages(collected)
  const viewer = scripted.length > 0 ? await openViewer(options) : null
  const groups = await sampleGroups(groupPages(scripted), verify, viewer !== null)
  const sampled = groups.flatMap(group => group.sampled)
  const looks = viewer ? await lookOrClose({ ...options, viewer }, sampled) : new Map<string, PageLook>()
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
    place: bundle => placeScripts(placing, bundle),
    fetchMissed: placing.missed.fetch,
    findings: () => placing.findings,
    seen: viewer && { viewer, scripted, looks, modes: placing.modes },
    async close() {
      await viewer?.close()
    },
  }
}

/** Samples each group. Without a browser, decides where its scripts run. */
function sampleGroups(groups: readonly ScriptedPage[][], verify: Verify, hasBrowser: boolean): Promise<Group[]> {
  const size =
    verify === 'full' ? Number.POSITIVE_INFINITY : sampleSizes[Math.min(groups.length, sampleSizes.length) - 1]
  return Promise.all(
    groups.map(async pages => {
      const sampled = pickSample(pages, size ?? 0)
      return { pages, sampled, ahead: hasBrowser ? null : await judgeSample(sampled) }
    }),
  )
}

/** Opens the browser. Returns null when no browser is wanted or found. */
async function openViewer(options: ScriptPlacerOptions): Promise<BundleViewer | null> {
  const { collected, limits, profileFolder, signal, share, verify } = options
  const executablePath = verify === 'static' ? null : findBrowser()
  if (!executablePath) return null
  const { pageTimeoutMs, pageRequests } = limits
  const isOutside = collected.products.leavesOutside
  return openBundleViewer({ executablePath, profileFolder, pageTimeoutMs, pageRequests, signal, share, isOutside })
}

async function lookOrClose(looks: OriginLooks, sampled: readonly ScriptedPage[]): Promise<Map<string, PageLook>> {
  try {
    return await lookAtOrigin(looks, sampled)
  } catch (error) {
    await looks.viewer.close()
    throw error
  }
}

async function placeScripts(placing: Placing, bundle: PlacedBundle): Promise<string[]> {
  const { scripted, hasSearch, viewer } = placing
  const { folder } = bundle
  if (scripted.length === 0) return []
  // Written first, because the sampled pages are opened with it.
  const themes = await readThemes(folder, bundle.paths)
  await writeRuntime(folder, { ...themes, hasSearch, isHosted: false })
  const choices = await chooseAll(placing, bundle)
  const { modes } = placing
  for (const [key, { mode }] of choices) modes.set(key, mode)
  const chosen = new Set(modes.values())
  const isHosted = chosen.has('hosted') && !chosen.has('guarded') && !chosen.has('frozen')
  if (isHosted) await writeRuntime(folder, { ...themes, hasSearch, isHosted })
  const loader = await writeLoader(bundle, scripted, modes)
  await changeScripts(bundle, scripted, { modes, guardedAhead: placing.guardedAhead, hasLoader: loader !== null })
  if (viewer) placing.findings.differences = await findRemaining(placing, bundle, viewer, choices)
  const hasRuntime = scripted.some(({ page, app }) => !app && !isUnchanged(modes.get(page.key)))
  return [...(hasRuntime ? [runtimePath] : []), ...(loader === null ? [] : [loader])]
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
  return sampled.flatMap(({ page: { key, url, charset }, app: shownBy }) => {
    const path = pagePaths.get(key)
    const appPath = shownBy && pagePaths.get(shownBy.key)
    const origin = looks.get(key)
    const app = appPath ? { path: appPath, fragment: url.hash } : null
    return path !== undefined && origin ? [{ path, ownPath: url.pathname, charset, origin, app }] : []
  })
}

/** Chooses where the scripts of each group run, and records the choices. Returns the choice for each page, by key. */
async function chooseAll(placing: Placing, bundle: PlacedBundle): Promise<ReadonlyMap<string, CheckedChoice>> {
  const { groups, looks, viewer, log } = placing
  const choices = new Map<string, CheckedChoice>()
  const chosen: { group: Group; choice: GroupChoice }[] = []
  for (const group of groups) {
    const choice = await chooseOne(placing, group, bundle)
    chosen.push({ group, choice })
    for (const { page } of group.pages) {
      const path = bundle.pagePaths.get(page.key) ?? ''
      choices.set(page.key, choice.unlike.get(path) ?? choice.choice)
    }
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

async function chooseOne(placing: Placing, { sampled, ahead }: Group, bundle: PlacedBundle): Promise<GroupChoice> {
  const { collected, looks, viewer, missed } = placing
  const sample = locateSample(looks, sampled, bundle)
  if (viewer === null || sample.length === 0)
    return { choice: { ...(ahead ?? (await judgeSample(sampled))), unseen: [] }, unlike: new Map() }
  const check = { folder: bundle.folder, sample, viewer, missed }
  return chooseForGroup(check, await areMovable(collected.site, sampled))
}

/** Finds differences of the finished bundle in the places where the browser has not seen its pages without a fault. */
async function findRemaining(
  { groups, looks }: Placing,
  bundle: PlacedBundle,
  viewer: BundleViewer,
  choices: ReadonlyMap<string, CheckedChoice>,
): Promise<Difference[]> {
  const differences: Difference[] = []
  for (const name of ['root', 'folder', 'file'] as const) {
    const unseen = groups.flatMap(({ sampled }) => {
      const open = sampled.filter(({ page }) => choices.get(page.key)?.unseen.includes(name))
      const frozen = new Set(open.filter(({ page }) => choices.get(page.key)?.mode === 'frozen'))
      return open.flatMap(each =>
        locateSample(looks, [each], bundle).map(page => (frozen.has(each) ? { ...page, app: null } : page)),
      )
    })
    differences.push(...(await findDifferences({ folder: bundle.folder, sample: unseen, viewer }, [name])))
  }
  return differences
}
