import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { startSearch } from '../../../generated/in-page.ts'
import { callScript } from '../../base/call-script.ts'
import type { PackedSearch } from '../model/report.ts'
import type { Outcomes } from '../model/resource.ts'
import { searchScriptPath } from '../model/search-files.ts'
import type { IndexedBundle } from './index-bundle.ts'

/** Writes the script that the pages of a bundle load for its search. */
export async function writeSearchScript(folder: string): Promise<void> {
  await mkdir(join(folder, dirname(searchScriptPath)), { recursive: true })
  await writeFile(join(folder, searchScriptPath), `${callScript(startSearch)}\n`)
}

/**
 * Writes the search index of a bundle whose pages are final, in a separate thread: indexing thousands of pages takes seconds,
 * and would block everything else.
 *
 * @param pagePaths paths in the bundle, by page key.
 */
export async function packSearch(
  collected: Pick<Outcomes, 'pages'>,
  folder: string,
  pagePaths: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<{ paths: string[]; packed: PackedSearch }> {
  const pages = [...pagePaths].flatMap(([key, path]) => {
    const outcome = collected.pages.get(key)
    return outcome?.state === 'page' ? [{ path, charset: outcome.resource.charset }] : []
  })
  pages.sort((a, b) => (a.path < b.path ? -1 : 1))
  const worker = new Worker(new URL('./index-worker.ts', import.meta.url), { workerData: { folder, pages } })
  try {
    const [indexed] = await once(worker, 'message', { signal })
    const { paths, packed } = indexed as IndexedBundle
    return { paths: [searchScriptPath, ...paths], packed }
  } finally {
    await worker.terminate()
  }
}
