import { findBrowser } from '../../web/browser/find-browser.ts'
import { type BundleViewer, openBundleViewer, type PageLook } from '../../web/browser/viewer.ts'
import type { Verify } from '../model/options.ts'
import type { PlaceName, ScriptChoice, ScriptFindings } from '../model/report.ts'
import type { SharedLimits } from '../model/shared-limits.ts'
import type { ExportLog } from '../model/stage-clock.ts'
import { runtimePath } from '../runtime/guard-page.ts'
import { chooseScripts, findDifferences } from './choose-scripts.ts'
import type { SampledPage } from './compare-page.ts'
import { areMovable, judgeSample } from './judge-sample.ts'
import { createMissedFiles, type MissedFiles } from './missed-files.ts'
import { listScriptedPages, lookAtOrigin, type OriginLooks, pickSample, type ScriptedPage } from './sample-pages.ts'
import { changeScripts, readThemes, writeRuntime } from './write-scripts.ts'

export interface ScriptPlacer {
  /** Keys of the pages to guard while they are written. Without a browser, rules decide before the bundle is written. */
  guardedAhead: ReadonlySet<string>
  /** Makes the scripts of a written bundle run only where they work. Returns the paths of added files. */
  place(bundle: PlacedBundle): Promise<string[]>
  /** Fetches the files that the bundle check found missing. Returns true if the bundle has to be written again with them. */
  fetchMissed(): Promise<boolean>
  findings(): ScriptFindings
  close(): Promise<void>
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

/** Max pages that a browser opens by default. With `verify: full`, it opens all pages with scripts. */
const sampleSize = 10

interface Placing extends ScriptPlacerOptions {
  scripted: readonly ScriptedPage[]
  sampled: readonly ScriptedPage[]
  /** Null without a browser, and when there is no page to open. */
  viewer: BundleViewer | null
  /** Pages as the origin showed them, by key. */
  looks: ReadonlyMap<string, PageLook>
  missed: MissedFiles
  /** The choice made before the bundle was written; null with a browser. */
  ahead: ScriptChoice | null
  guardedAhead: ReadonlySet<string>
  findings: ScriptFindings
}

/** Shows the sampled pages at the origin before the bundle is written. The browser starts only for a site with scripts. */
export async function createScriptPlacer(options: ScriptPlacerOptions): Promise<ScriptPlacer> {
  const { collected, files, verify } = options
  const scripted = listScriptedPages(collected)
  const sampled = pickSample(scripted, verify === 'full' ? scripted.length : sampleSize)
  const viewer = scripted.length > 0 ? await openViewer(options) : null
  const looks = viewer ? await lookOrClose({ ...options, viewer }, sampled) : new Map<string, PageLook>()
  const ahead = viewer ? null : await judgeSample(sampled)
  const guarded = ahead?.mode === 'guarded' ? scripted.flatMap(({ page, app }) => (app ? [] : [page.key])) : []
  const placing: Placing = {
    ...options,
    ...{ scripted, sampled, viewer, looks, ahead },
    missed: createMissedFiles(collected, files),
    guardedAhead: new Set(guarded),
    findings: {
      mode: 'none',
      reason: null,
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
    async close() {
      await viewer?.close()
    },
  }
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
  const sample = locateSample(placing, bundle)
  // Written first, because the sampled pages are opened with it.
  const themes = await readThemes(folder, bundle.paths)
  await writeRuntime(folder, { ...themes, hasSearch, isHosted: false })
  const { mode, unseen } = await choose(placing, folder, sample)
  if (mode === 'none' || mode === 'everywhere') return []
  if (mode === 'hosted') await writeRuntime(folder, { ...themes, hasSearch, isHosted: true })
  const toChange = scripted.filter(({ page }) => !placing.guardedAhead.has(page.key))
  await changeScripts(bundle, toChange, mode)
  if (viewer) {
    const shown = mode === 'frozen' ? sample.map(page => ({ ...page, app: null })) : sample
    placing.findings.differences = await findDifferences({ folder, sample: shown, viewer }, unseen)
  }
  return scripted.some(({ app }) => !app) ? [runtimePath] : []
}

/** Returns the sampled pages that are in the bundle and were shown at the origin. */
function locateSample({ sampled, looks }: Placing, { pagePaths }: PlacedBundle): SampledPage[] {
  return sampled.flatMap(({ page: { key, url, charset }, app: shownBy }) => {
    const path = pagePaths.get(key)
    const appPath = shownBy && pagePaths.get(shownBy.key)
    const origin = looks.get(key)
    const app = appPath ? { path: appPath, fragment: url.hash } : null
    return path !== undefined && origin ? [{ path, ownPath: url.pathname, charset, origin, app }] : []
  })
}

/** Chooses where scripts run, and records the choice. Returns the places that the browser must still look at. */
async function choose(
  placing: Placing,
  folder: string,
  sample: readonly SampledPage[],
): Promise<ScriptChoice & { unseen: readonly PlaceName[] }> {
  const { collected, sampled, viewer, missed, ahead, log } = placing
  const isOpened = viewer !== null && sample.length > 0
  const { unseen, ...choice } = isOpened
    ? await chooseScripts({ folder, sample, viewer, missed }, await areMovable(collected.site, sampled))
    : { ...(ahead ?? (await judgeSample(sampled))), unseen: [] }
  const decidedBy = isOpened ? 'browser' : 'rule'
  log?.({ ...choice, decidedBy, sample: sample.length }, 'scripts of the site judged')
  placing.findings = { ...choice, decidedBy, checkedPages: sample.map(({ path }) => path), differences: [] }
  return { ...choice, unseen }
}
