import { linkKey } from '../model/site.ts'
import type { Collection } from './collection.ts'
import { fetchPage } from './fetch-page.ts'
import { keepPage } from './keep-page.ts'

/**
 * Fetches a page that a script shows in a frame. No link leads to such a page, so the crawl does not find it. Returns
 * whether the page exists.
 */
export async function fetchFramedPage(
  { collected, tools, files }: Omit<Collection, 'report'>,
  url: URL,
): Promise<boolean> {
  const { site, limits, exclusions, queue } = tools
  const key = linkKey(url)
  const known = collected.pages.get(key)
  if (known) return known.state === 'page'
  if (!site.inScope(url) || exclusions.has(url) || collected.pages.size >= limits.pages) return false
  const context = {
    ...{ tools, found: collected, files, missingContent: null, startKey: key },
    // A redirect is not followed, because the address is assumed.
    missing: { status: 404, url, asked: url, body: null },
    onLanding() {},
  }
  const result = await queue.add(() => fetchPage(context, { target: url, key, isAssumed: true }))
  if (!('resource' in result)) return false
  keepPage(collected, files, { ...result, resource: { ...result.resource, isFramed: true } })
  return true
}
