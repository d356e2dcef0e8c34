import { builtSite, toFiles } from './built-site.ts'
import { addressOf, readDocuments, withFrontMatter, withKnownLanguages } from './documents.ts'
import type { GallerySite } from './site.ts'

/** Rspress with its default theme and search. */
export const rspressSite: GallerySite = builtSite({
  name: 'rspress',
  description: 'Rspress 2, default theme and search',
  unseen: true,
  async project(cacheFolder) {
    const documents = await readDocuments(cacheFolder, slug => addressOf(slug))
    const entries = documents.map(({ slug, title }) => ({ text: title, link: addressOf(slug) }))
    return {
      dependencies: { '@rspress/core': '2.0.22', react: '19.3.1', 'react-dom': '19.3.1' },
      build: 'rspress build',
      files: {
        'rspress.config.ts': `import { defineConfig } from '@rspress/core'
export default defineConfig({ root: 'docs', title: 'Docs', markdown: { link: { checkDeadLinks: false } }, themeConfig: { sidebar: { '/': ${JSON.stringify(entries)} } } })
`,
        ...toFiles(
          documents,
          ({ slug }) => `docs/${slug}.md`,
          document =>
            withKnownLanguages(withFrontMatter({ ...document, body: `# ${document.title}\n\n${document.body}` })),
        ),
      },
    }
  },
  out: 'doc_build',
  search: {
    path: '/guides/testing.html',
    opener: '[class*=navSearchButton], .rspress-nav-search-button, .rp-search-button',
    field: 'input[class*=nput]',
    hits: '[class*=suggestItem], .rspress-search-suggest-item, .rp-search-panel li',
    queries: ['hooks', 'validation', 'decorators'],
  },
})
