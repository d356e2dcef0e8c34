import { RenderError, type RenderedPage } from '../../web/browser/renderer.ts'
import type { FetchedPage } from '../crawl/page-completer.ts'
import type { Resource } from '../model/resource.ts'
import { PageWorkError } from '../pages/page-pool.ts'
import type { ReadPage } from '../pages/page-tasks.ts'
import { isMissing } from '../pages/page-work.ts'
import type { Completion } from './completion.ts'
import { findGain } from './find-gain.ts'
import { keepRendered, keepWithMenus } from './keep-rendered.ts'

/** A page to show, its fetched content and the pages of its template. */
export interface ShowRequest {
  resource: Resource
  /** The content as it was fetched; null when its files were already requested. */
  content: ReadPage | null
  /** Keys of the other pages of its template; may grow. */
  siblings: readonly string[]
}

/**
 * Shows a page in a browser. If it gains only menus, keeps the fetched page: its scripts build the menus in the bundle.
 *
 * @return the page to keep, `same` when the browser shows no more than the HTML, `missing` for a soft 404.
 */
export async function showPage(
  completion: Completion,
  request: ShowRequest,
): Promise<FetchedPage | 'same' | 'missing'> {
  const { log, findings } = completion
  const { key } = request.resource
  try {
    return await showAndJudge(completion, request)
  } catch (error) {
    if (!(error instanceof RenderError || error instanceof PageWorkError)) throw error
    log?.({ page: key, reason: error.message }, 'page kept as fetched')
    findings.empty.add(key)
    return 'same'
  }
}

async function showAndJudge(completion: Completion, { resource, content, siblings }: ShowRequest) {
  const { views, tools, missing, findings } = completion
  // Requested first: queued behind a whole generation of pages, this request would delay all of them.
  const missingWords = views.findMissingWords()
  const { shown, fetched } = await views.show(resource)
  tools.loginWatch.notePage(resource.key, Buffer.from(shown.html), () => shown.words)
  const own = tools.site.own(shown.url)
  if (!own) return 'same'
  if (shown.references.length > 0) return keepRendered(completion, resource, { ...shown, url: own })
  const gained = findGain(shown, fetched)
  if (gained !== 'content') {
    completion.scriptLinks.note(resource.key, shown, siblings)
    completion.looks.set(resource.key, shown.look)
  }
  if (gained === 'nothing') return 'same'
  if (gained === 'menus') return keepWithMenus(completion, resource, shown)
  const isStart = resource.key === completion.startKey
  if (!isStart && isMissing((await missingWords) ?? [], missing.asked, shown.words, resource.url)) return 'missing'
  const page = await keepRendered(completion, resource, { ...shown, url: own })
  completion.apps.note({ page, fetched: resource, content, shown })
  if (isStart && hasOldRoutes(shown)) findings.hasOldRoutes = true
  return page
}

function hasOldRoutes({ html }: RenderedPage): boolean {
  return (html.match(/\shref="#!\//g)?.length ?? 0) > 2
}
