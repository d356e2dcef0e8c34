import type { RawText } from '../../web/html/text-encoding.ts'
import type { FetchedPage } from '../crawl/page-completer.ts'
import type { Resource } from '../model/resource.ts'
import { PageWorkError } from '../pages/page-pool.ts'
import { readSpan } from '../pages/page-work.ts'
import { listHiding } from './compare-templates.ts'
import type { Completion } from './completion.ts'
import { findGain } from './find-gain.ts'
import { withPanels } from './with-panels.ts'

/** Max pages that are opened for their tabs. */
const maxTabbedPages = 200

/**
 * Opens the pages with content that scripts build after a click, and adds it to them as templates. Our runtime
 * shows them where the site's scripts do not run. The site's scripts ignore them.
 *
 * @param completed pages that replace the fetched ones for another reason. Those that a browser rendered have their panels.
 * @return pages that replace the fetched ones.
 */
export async function addPanels(completion: Completion, completed: readonly FetchedPage[]): Promise<FetchedPage[]> {
  const { found, findings, lacksPanels } = completion
  for (const key of await listHiding(completion)) if (!findings.tabbed.has(key)) lacksPanels.add(key)
  const keys = [...lacksPanels].sort()
  lacksPanels.clear()
  const room = maxTabbedPages - findings.tabbed.size
  for (const key of keys.slice(Math.max(0, room))) findings.closedTabs.add(key)
  const rendered = new Set(completed.flatMap(({ resource }) => (resource.rendered ? [resource.key] : [])))
  const pages = await Promise.all(
    keys.slice(0, Math.max(0, room)).map(async key => {
      findings.tabbed.add(key)
      const outcome = found.pages.get(key)
      const isFetched = outcome?.state === 'page' && !outcome.resource.rendered && !rendered.has(key)
      return isFetched ? addPanelsTo(completion, outcome.resource) : null
    }),
  )
  const opened = new Set(pages.flatMap(page => page?.resource.key ?? []))
  return [...pages.filter(page => page !== null), ...(await shareStates(completion, new Set([...opened, ...rendered])))]
}

/** Adds to pages that were not opened what the controls in their menus change. */
async function shareStates({ found, templates, tools }: Completion, done: ReadonlySet<string>): Promise<FetchedPage[]> {
  const shared = templates.list().flatMap(({ keys, shared: states }) => {
    return states.length === 0
      ? []
      : keys.map(async key => {
          const outcome = found.pages.get(key)
          if (done.has(key) || outcome?.state !== 'page' || !outcome.resource.span) return null
          const { resource } = outcome
          const text = (await readSpan(outcome.resource.span)).toString('latin1')
          // A later review finds the page as this one has left it.
          if (resource.rendered || text.includes('data-quire-state')) return null
          return addTo(tools, resource, withPanels({ text, charset: resource.charset }, { panels: [], states }))
        })
  })
  return (await Promise.all(shared)).filter(page => page !== null)
}

async function addPanelsTo(completion: Completion, resource: Resource): Promise<FetchedPage | null> {
  const { views, tools, looks } = completion
  const view = await views.tryShow(resource)
  if (!view || view.shown.panels.length + view.shown.states.length === 0) return null
  const { shown, fetched } = view
  if (findGain(shown, fetched) !== 'content') looks.set(resource.key, shown.look)
  return addTo(tools, resource, withPanels(fetched, shown))
}

async function addTo(
  { pool }: Completion['tools'],
  resource: Resource,
  { text }: RawText,
): Promise<FetchedPage | null> {
  const { charset, url } = resource
  try {
    const bytes = Buffer.from(text, 'latin1')
    const content = await pool.read({ bytes, charset, url: url.href, isRendered: false, missing: null })
    const { span, sizeBytes, sha256 } = content
    return { content, resource: { ...resource, charset: content.charset, span, file: span.file, sizeBytes, sha256 } }
  } catch (error) {
    if (error instanceof PageWorkError) return null
    throw error
  }
}
