import type { ScriptMode, SearchFindings } from '../model/report.ts'
import { type Change, guardWith } from './choose-scripts.ts'
import type { ScriptedPage } from './sample-pages.ts'

/** The search of a written bundle. */
export interface BundleSearch {
  /**
   * Starts to use the search at the root of a host, because it mostly waits.
   *
   * @param expected the mode that all pages are expected to get.
   * @param change makes the pages what they are in this mode.
   */
  startAhead(expected: ScriptMode, change: Change): void
  /** Compares the search of the complete bundle with the origin. Null = there is nothing to compare. */
  compare(): Promise<SearchFindings | null>
}

/**
 * Uses the search before the browser chose where scripts run, if all groups probably get the same mode.
 *
 * @param movable whether the pages of each group find their scripts in any folder.
 */
export function startSearch(
  scripted: readonly ScriptedPage[],
  pagePaths: ReadonlyMap<string, string>,
  { movable, search }: { movable: readonly boolean[]; search: BundleSearch },
): void {
  if (new Set(movable).size !== 1) return
  if (movable[0]) {
    search.startAhead('everywhere', (_path, text) => text)
    return
  }
  const pages = scripted.flatMap(({ page: { key, url, charset }, app }) => {
    const path = pagePaths.get(key)
    return path === undefined || app ? [] : [{ path, ownPath: url.pathname, charset, app: null }]
  })
  search.startAhead('guarded', guardWith(pages, 'own path'))
}
