import type { Resource } from '../model/resource.ts'
import type { PagePool } from '../pages/page-pool.ts'
import type { WriteTask } from '../pages/page-tasks.ts'
import { sortedEntries, type Writing } from './writing.ts'

export interface PageWriting {
  pool: PagePool
  /** Keys of the pages whose scripts start only at their own path. */
  guarded: ReadonlySet<string>
  /** Called after each page. */
  onPage(): void
}

/** A page that is changed once all files are written. */
export interface UnfinishedPage {
  path: string
  /** Whether its style elements name fonts. */
  hasFonts: boolean
  /** Whether it may show parts of SVG files. */
  hasSprites: boolean
}

/** Starts to write all pages. Each promise resolves to the page if it is unfinished, or to null. */
export function startPages(writing: Writing, options: PageWriting): Promise<UnfinishedPage | null>[] {
  const { collected, plan, queue } = writing
  return sortedEntries(plan.pages).flatMap(([key, path]) => {
    const outcome = collected.pages.get(key)
    if (outcome?.state !== 'page') return []
    const written = { key, path, page: outcome.resource }
    return [queue.add(async () => writePage(writing, options, toTask(writing, options, written)))]
  })
}

function toTask(
  { collected }: Writing,
  { guarded }: PageWriting,
  { key, path, page }: { key: string; path: string; page: Resource },
): WriteTask {
  const { span, charset, url, rendered } = page
  if (!span) throw new Error(`no content is stored for the page ${key}`)
  const shell = collected.apps.get(key)
  return {
    ...{ span, charset, url: url.href, isRendered: rendered, path },
    sources: collected.products.sourcesOn(key),
    losesSearch: collected.products.losesSearch(key),
    guardedAt: guarded.has(key) ? url.pathname : null,
    app: shell?.span ? { span: shell.span, charset: shell.charset, url: shell.url.href } : null,
  }
}

async function writePage(
  { found, unresolved }: Writing,
  { pool, onPage }: PageWriting,
  task: WriteTask,
): Promise<UnfinishedPage | null> {
  const { path } = task
  const page = await pool.write(task)
  const findings = found.on(path)
  for (const [url, reason] of page.deadLinks) findings.deadLink(new URL(url), reason)
  for (const [url, reason] of page.missingFiles) findings.missingFile(new URL(url), reason)
  for (const address of page.unresolved) unresolved.push({ page: path, address })
  onPage()
  const { hasFonts, hasSprites } = page
  return hasFonts || hasSprites ? { path, hasFonts, hasSprites } : null
}
