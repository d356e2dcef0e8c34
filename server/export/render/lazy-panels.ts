import type { FetchedPage } from '../crawl/page-completer.ts'
import type { Resource } from '../model/resource.ts'
import { PageWorkError } from '../pages/page-pool.ts'
import type { Completion } from './completion.ts'
import { findGain } from './find-gain.ts'
import { withPanels } from './with-panels.ts'

/** Max pages that are opened for their tabs. */
const maxPages = 200

/**
 * Opens the pages with tabs whose panels scripts build after a click, and adds the panels to them as templates. Our runtime
 * shows them where the site's scripts do not run. The site's scripts ignore them.
 *
 * @param completed pages that replace the fetched ones for another reason. Those that a browser rendered have their panels.
 * @return pages that replace the fetched ones.
 */
export async function addPanels(completion: Completion, completed: readonly FetchedPage[]): Promise<FetchedPage[]> {
  const { found, findings, lacksPanels } = completion
  const keys = [...lacksPanels].sort()
  lacksPanels.clear()
  const room = maxPages - findings.tabbed.size
  for (const key of keys.slice(Math.max(0, room))) findings.closedTabs.add(key)
  const rendered = new Set(completed.flatMap(({ resource }) => (resource.rendered ? [resource.key] : [])))
  const pages = await Promise.all(
    keys.slice(0, Math.max(0, room)).map(async key => {
      findings.tabbed.add(key)
      const outcome = found.pages.get(key)
      const isFetched = outcome?.state === 'page' && !outcome.resource.rendered && !rendered.has(key)
      return isFetched ? addTo(completion, outcome.resource) : null
    }),
  )
  return pages.filter(page => page !== null)
}

async function addTo(completion: Completion, resource: Resource): Promise<FetchedPage | null> {
  const { views, tools, looks } = completion
  const view = await views.tryShow(resource)
  if (!view || view.shown.panels.length === 0) return null
  const { shown, fetched } = view
  if (findGain(shown, fetched) !== 'content') looks.set(resource.key, shown.look)
  const bytes = Buffer.from(withPanels(fetched, shown.panels).text, 'latin1')
  const { charset, url } = resource
  try {
    const content = await tools.pool.read({ bytes, charset, url: url.href, isRendered: false, missing: null })
    const { span, sizeBytes, sha256 } = content
    return { content, resource: { ...resource, charset: content.charset, span, file: span.file, sizeBytes, sha256 } }
  } catch (error) {
    if (error instanceof PageWorkError) return null
    throw error
  }
}
