import type { BrowserTabs } from '../../web/browser/browser-tabs.ts'
import type { PageViewer } from '../../web/browser/viewer.ts'
import type { Verify } from '../model/options.ts'
import type { ScriptFindings, ScriptMode } from '../model/report.ts'
import type { ExportLog } from '../model/stage-clock.ts'
import type { OriginLook, SampledPage } from './compare-page.ts'
import type { MissedFiles } from './missed-files.ts'
import type { Group } from './sample-groups.ts'
import type { OriginLooks, ScriptedPage } from './sample-pages.ts'

/** A written bundle. */
export interface PlacedBundle {
  folder: string
  /** Paths of the pages, by key. */
  pagePaths: ReadonlyMap<string, string>
  /** Paths of the other files, by key. */
  filePaths: ReadonlyMap<string, string>
  /** Paths of all files. */
  paths: readonly string[]
  /** Paths of the copies that scripts read on file://. They are removed if no scripts run there. */
  packed: readonly string[]
}

export interface ScriptPlacerOptions extends Omit<OriginLooks, 'viewer' | 'limits'> {
  limits: OriginLooks['limits'] & { pageTimeoutMs: number; pageRequests: number }
  verify: Verify
  /** The tabs of the export's browser; null when no browser is installed. */
  tabs: BrowserTabs | null
  /** Whether the bundle has an offline search. */
  hasSearch: boolean
  signal: AbortSignal
  /** Called when a page was opened. */
  onView(): void
  log: ExportLog | undefined
}

/** What is known while the scripts of a bundle are placed. */
export interface Placing extends ScriptPlacerOptions {
  groups: readonly Group[]
  scripted: readonly ScriptedPage[]
  /** Null without a browser, and when there is no page to open. */
  viewer: PageViewer | null
  /** Pages as the origin showed them, by key. The files that these pages load are in the bundle. */
  looks: Map<string, OriginLook>
  missed: MissedFiles
  guardedAhead: ReadonlySet<string>
  findings: ScriptFindings
  /** Where the scripts of each page run, by key. Empty until the bundle is placed. */
  modes: Map<string, ScriptMode>
}

/** Returns those of the pages that are in the bundle and were shown at the origin. */
export function locatePages(
  looks: ReadonlyMap<string, OriginLook>,
  pages: readonly ScriptedPage[],
  { pagePaths }: Pick<PlacedBundle, 'pagePaths'>,
): SampledPage[] {
  const located = pages.flatMap(({ page: { key, url, charset }, app: shownBy }) => {
    const path = pagePaths.get(key)
    const appPath = shownBy && pagePaths.get(shownBy.key)
    const origin = looks.get(key)
    const app = appPath ? { path: appPath, fragment: url.hash } : null
    return path !== undefined && origin ? [{ path, ownPath: url.pathname, charset, origin, app }] : []
  })
  // Following a link takes as long as opening a page, so only the first page follows one.
  return located.map((page, at) => (at === 0 ? page : { ...page, origin: { ...page.origin, follows: null } }))
}
