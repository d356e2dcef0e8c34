import { framePage, type Site } from './frame.ts'
import { docsPath } from './pages.ts'
import { relativePath } from './relative-path.ts'

/** Renders the page for an address without a page, with the navigation of the documentation. */
export function missingPage(path: string, site: Site): string {
  const link = (to: string, text: string) => `<li><a href="${relativePath(path, to)}">${text}</a></li>`
  const links = [
    link(`${docsPath}/`, 'Overview of the documentation'),
    link(`${docsPath}/reference`, 'API reference'),
    link(`${docsPath}/search`, 'Search'),
    ...(site.hasDashboard ? [link('/dashboard/', 'Dashboard')] : []),
  ]
  const html = `<h1>Page not found</h1>
<p>There is no page at this address. It may have moved, or the address has a typing error.</p>
<ul>${links.join('\n')}</ul>`
  return framePage({ at: path, title: 'Page not found', html }, site)
}
