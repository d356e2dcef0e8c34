import type { MutableSite } from './collected-site.ts'
import type { FileCollector } from './file-collector.ts'
import type { FetchedPage } from './page-completer.ts'

/** Keeps a page and requests its files. */
export function keepPage(
  { pages }: Pick<MutableSite, 'pages'>,
  files: Pick<FileCollector, 'need' | 'needOfPrograms'>,
  { resource, content }: FetchedPage,
): void {
  pages.set(resource.key, { state: 'page', resource })
  for (const { url, role } of content.assets) {
    // A rendered page keeps no scripts.
    if (role !== 'script' || !resource.rendered) files.need(new URL(url), role)
  }
  if (!resource.rendered) files.needOfPrograms({ resource, content })
}
