import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { startSearch } from '../../../generated/in-page.ts'
import { callScript } from '../../base/call-script.ts'
import type { StartThread } from '../../base/start-thread.ts'
import type { PackedSearch, PlaceName } from '../model/report.ts'
import type { Outcomes } from '../model/resource.ts'
import { searchScriptPath } from '../model/search-files.ts'
import type { IndexedBundle } from './index-bundle.ts'

/**
 * Writes the script that the pages of a bundle load for its search.
 *
 * @param dead the places where the search of the site finds nothing.
 */
export async function writeSearchScript(folder: string, dead: readonly PlaceName[]): Promise<void> {
  await mkdir(join(folder, dirname(searchScriptPath)), { recursive: true })
  await writeFile(join(folder, searchScriptPath), `${callScript(startSearch, dead)}\n`)
}

export interface PackSearchOptions {
  collected: Pick<Outcomes, 'pages'>
  /** Folder of the bundle. */
  folder: string
  /** Bundle paths of the pages, by key. */
  pagePaths: ReadonlyMap<string, string>
  startThread: StartThread
  signal: AbortSignal
}

/**
 * Writes the search index of a bundle whose pages are final. Runs in a separate thread, because indexing thousands of pages
 * takes seconds and would block all other work.
 */
export async function packSearch({
  collected,
  folder,
  pagePaths,
  startThread,
  signal,
}: PackSearchOptions): Promise<{ paths: string[]; packed: PackedSearch }> {
  const pages = [...pagePaths].flatMap(([key, path]) => {
    const outcome = collected.pages.get(key)
    if (outcome?.state !== 'page' || outcome.resource.isFramed) return []
    return [{ path, charset: outcome.resource.charset }]
  })
  pages.sort((a, b) => (a.path < b.path ? -1 : 1))
  const worker = startThread('export/search/index-worker', { folder, pages })
  try {
    const [indexed] = await once(worker, 'message', { signal })
    const { paths, packed } = indexed as IndexedBundle
    return { paths: [searchScriptPath, ...paths], packed }
  } finally {
    await worker.terminate()
  }
}
