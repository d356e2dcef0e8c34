import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { CrawlState } from '../crawl/crawl-state.ts'
import type { IndexedBundle, PackedSearch } from './index-bundle.ts'

/**
 * Puts the search and an index of the pages into a written bundle, in a thread of its own: an index of thousands of
 * pages would keep everything else waiting for seconds.
 *
 * @param pagePaths where the pages are, by key.
 */
export async function packSearch(
  state: Pick<CrawlState, 'pages'>,
  folder: string,
  pagePaths: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<{ paths: string[]; packed: PackedSearch }> {
  const pages = [...pagePaths].flatMap(([key, path]) => {
    const outcome = state.pages.get(key)
    return outcome?.state === 'page' ? [{ path, charset: outcome.resource.charset }] : []
  })
  pages.sort((a, b) => (a.path < b.path ? -1 : 1))
  const worker = new Worker(new URL('./index-worker.ts', import.meta.url), { workerData: { folder, pages } })
  try {
    const [indexed] = await once(worker, 'message', { signal })
    return indexed as IndexedBundle
  } finally {
    await worker.terminate()
  }
}
