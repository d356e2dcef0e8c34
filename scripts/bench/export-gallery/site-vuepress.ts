import { builtSite, toFiles } from './built-site.ts'
import { addressOf, readDocuments, withFrontMatter } from './documents.ts'
import type { GallerySite } from './site.ts'

/** VuePress 2 with its default theme and search. */
export const vuepressSite: GallerySite = builtSite({
  name: 'vuepress',
  description: 'VuePress 2.0.0-rc.31, default theme, search plugin',
  async project(cacheFolder) {
    const documents = await readDocuments(cacheFolder, slug => addressOf(slug, '/', '.html'))
    const entries = documents.map(({ slug, title }) => ({ text: title, link: addressOf(slug, '/', '.html') }))
    return {
      dependencies: {
        vuepress: '2.0.0-rc.31',
        '@vuepress/bundler-vite': '2.0.0-rc.31',
        '@vuepress/theme-default': '2.0.0-rc.130',
        '@vuepress/plugin-search': '2.0.0-rc.130',
        'sass-embedded': '1.108.2',
        vue: '3.5.22',
      },
      build: 'vuepress build docs',
      files: {
        'docs/.vuepress/config.js': `import { viteBundler } from '@vuepress/bundler-vite'
import { defaultTheme } from '@vuepress/theme-default'
import { searchPlugin } from '@vuepress/plugin-search'
export default {
  title: 'Docs',
  bundler: viteBundler(),
  theme: defaultTheme({ sidebar: ${JSON.stringify(entries)}, contributors: false, lastUpdated: false }),
  plugins: [searchPlugin()],
  markdown: { code: { vPre: true } },
}
`,
        ...toFiles(
          documents,
          ({ slug }) => `docs/${slug.replace(/(^|\/)index$/, '$1README')}.md`,
          document =>
            withFrontMatter({ ...document, body: `# ${document.title}\n\n::: v-pre\n\n${document.body}\n\n:::` }),
        ),
      },
    }
  },
  out: 'docs/.vuepress/dist',
  search: {
    path: '/guides/testing.html',
    field: '.search-box input',
    hits: '.search-box .suggestions li',
    queries: ['hooks', 'validation', 'decorators'],
  },
})
