import type { RenderedPage } from '../../web/browser/renderer.ts'
import { rawOf } from '../../web/html/text-encoding.ts'
import type { CrawlTools } from '../crawl/crawl-tools.ts'
import type { FileCollector } from '../crawl/file-collector.ts'
import type { FetchedPage } from '../crawl/page-completer.ts'
import type { Resource } from '../model/resource.ts'
import type { ReadPage } from '../pages/page-tasks.ts'
import type { CompletionFindings } from './completion-findings.ts'
import { withPanels } from './with-panels.ts'

interface Keeping {
  tools: Pick<CrawlTools, 'pool' | 'products'>
  findings: Pick<CompletionFindings, 'rendered' | 'collapsed'>
}

/** Replaces a fetched page with its rendering in the browser. */
export async function keepRendered(
  { tools, findings }: Keeping,
  resource: Resource,
  shown: RenderedPage,
): Promise<FetchedPage> {
  const content = await readShown(tools, shown)
  // Scripts may have added products that are not in the HTML.
  tools.products.note(resource.key, content.products)
  tools.products.noteFrozen(resource.key, shown.references)
  if (shown.references.some(({ isCut }) => isCut)) findings.collapsed.add(resource.key)
  const { charset, span, sizeBytes, sha256 } = content
  findings.rendered.add(resource.key)
  const changed = { url: shown.url, charset, span, sizeBytes, sha256, rendered: true }
  return { content, resource: { ...resource, ...changed } }
}

/**
 * Keeps a fetched page, and adds the links of the menus that its scripts build. Requests the files that the scripts load.
 */
export async function keepWithMenus(
  { tools, files }: { tools: Pick<CrawlTools, 'pool'>; files: Pick<FileCollector, 'needLoaded'> },
  resource: Resource,
  shown: RenderedPage,
): Promise<FetchedPage> {
  for (const url of shown.loaded) files.needLoaded(url)
  return { resource, content: await readShown(tools, shown) }
}

function readShown({ pool }: Pick<CrawlTools, 'pool'>, { html, url, panels, states }: RenderedPage): Promise<ReadPage> {
  const bytes = Buffer.from(withPanels(rawOf(html), { panels, states }).text, 'latin1')
  return pool.read({ bytes, charset: 'utf-8', url: url.href, isRendered: true, missing: null })
}
