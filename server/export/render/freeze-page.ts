import { digest } from '../../base/digest.ts'
import type { FetchedPage } from '../crawl/page-completer.ts'
import { PageWorkError } from '../pages/page-pool.ts'
import { readSpan } from '../pages/spool.ts'
import type { Completion } from './completion.ts'
import { keepRendered } from './keep-rendered.ts'

/** Decides whether a page has an API reference that the deployment may have only as text. */
export function hasReference({ tools }: Pick<Completion, 'tools'>, { content }: FetchedPage): boolean {
  return tools.products.listReferences(content.products).length > 0
}

/**
 * Replaces a page with an API reference by what a browser shows, without what sends requests. If the browser does not show
 * the reference, for example because its script cannot be fetched, returns the page without the reference.
 */
export async function freezePage(
  completion: Completion,
  page: FetchedPage,
): Promise<{ page: FetchedPage; isFrozen: boolean }> {
  const { tools, log } = completion
  const { content, resource } = page
  if (content.text.scripts.length === 0) {
    // Without scripts, the page is text already.
    const names = tools.products.listReferences(content.products)
    tools.products.noteFrozen(
      resource.key,
      names.map(name => ({ name, removed: [] })),
    )
    return { page, isFrozen: true }
  }
  const frozen = await tryFreeze(completion, page)
  if (frozen) return { page: frozen, isFrozen: true }
  log?.({ page: resource.key }, 'the browser shows no API reference; removed')
  return { page: await removeReferences(completion, page), isFrozen: false }
}

async function tryFreeze(completion: Completion, { resource }: FetchedPage): Promise<FetchedPage | null> {
  const view = await completion.views.tryShowReference(resource)
  const own = view && completion.tools.site.own(view.shown.url)
  if (!view || !own || view.shown.references.length === 0) return null
  try {
    return await keepRendered(completion, resource, { ...view.shown, url: own })
  } catch (error) {
    if (error instanceof PageWorkError) return null
    throw error
  }
}

async function removeReferences({ tools }: Completion, { resource }: FetchedPage): Promise<FetchedPage> {
  const { span, charset, url } = resource
  const content = await tools.pool.read({
    bytes: span ? await readSpan(span) : Buffer.alloc(0),
    charset,
    url: url.href,
    isRendered: false,
    removesReferences: true,
    missing: null,
  })
  const { scripts } = content.text
  const changed = { charset: content.charset, span: content.span, sizeBytes: content.sizeBytes, sha256: content.sha256 }
  return {
    content,
    resource: { ...resource, ...changed, hasScripts: scripts.length > 0, template: digest(scripts.join(' ')) },
  }
}
