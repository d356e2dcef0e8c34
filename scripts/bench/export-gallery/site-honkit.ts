import { builtSite, toFiles } from './built-site.ts'
import { readDocuments } from './documents.ts'
import type { GallerySite } from './site.ts'

/** HonKit, the successor of an older generator of books. */
export const honkitSite: GallerySite = builtSite({
  name: 'honkit',
  description: 'HonKit 6, default theme with search and font settings',
  unseen: true,
  async project(cacheFolder) {
    const file = (slug: string) => `${slug.replace(/(^|\/)index$/, '$1README')}.md`
    const documents = await readDocuments(
      cacheFolder,
      (slug, from) => `${from.includes('/') ? '../' : ''}${file(slug)}`,
    )
    const summary = documents.map(({ slug, title }) => `* [${title}](${file(slug)})`).join('\n')
    return {
      dependencies: { honkit: '6.1.7' },
      build: 'honkit build docs out',
      files: {
        'docs/book.json': '{"title":"Docs"}',
        'docs/SUMMARY.md': `# Summary\n\n${summary}\n`,
        ...toFiles(
          documents,
          ({ slug }) => `docs/${file(slug)}`,
          ({ title, body }) =>
            `# ${title}\n\n${body}\n`.replaceAll('{{', '{ {').replaceAll('{%', '{ %').replaceAll('{#', '{ #'),
        ),
      },
    }
  },
  out: 'docs/out',
  search: {
    path: '/guides/testing.html',
    field: '#book-search-input input',
    hits: '#book-search-results .search-results-item',
    queries: ['hooks', 'validation', 'decorators'],
  },
})
