import { addressOf, type Document, toFiles, withFrontMatter, withHeading } from './documents.ts'
import type { Site } from './site.ts'

const inFolders = (slug: string) => addressOf(slug, '/', '/')

/** Sphinx reads Markdown with MyST. Its links go from source to source. */
function sphinx(theme: string, description: string, packages: string[], extra: Partial<Site> = {}): Site {
  return {
    name: `sphinx-${theme.replace(/^sphinx_|_theme$|_sphinx_theme$/g, '')}`,
    description: `Sphinx 5 with MyST and the theme ${description} (Debian)`,
    packages: ['python3-sphinx', 'python3-myst-parser', ...packages],
    command: ['/usr/bin/sphinx-build', '-b', 'html', '-q', 'source', 'out'],
    link: (slug, from) => `${from.includes('/') ? '../' : ''}${slug}.md`,
    files(documents) {
      const list = documents.map(({ slug }) => slug).filter(slug => slug !== 'index')
      const toctree = `\n\`\`\`{toctree}\n:maxdepth: 2\n${list.join('\n')}\n\`\`\`\n`
      const write = (each: Document) => `${withHeading(each)}${each.slug === 'index' ? toctree : ''}`
      return {
        'source/conf.py': `project = 'Docs'\nextensions = ['myst_parser']\nhtml_theme = '${theme}'\n`,
        ...toFiles(documents, 'source/*.md', write),
      }
    },
    search: { path: '/search.html?q={query}', hits: '#search-results li > a' },
    ...extra,
  } as Site
}

const namesOf = (npm: Record<string, string>) => Object.entries(npm).map(each => each.join(' '))

/** JSDoc with a template of npm. */
function jsdoc(name: string, npm: Record<string, string>): Site {
  const [template] = Object.keys(npm)
  return {
    name,
    description: ['JSDoc 4', ...namesOf(npm), 'the sources of lodash and leaflet'].join(', '),
    npm: { jsdoc: '4.0.5', lodash: '4.17.21', leaflet: '1.9.4', ...npm },
    build: `jsdoc node_modules/lodash/lodash.js node_modules/leaflet/src -r -d out${template ? ` -t node_modules/${template}` : ''}`,
    files: () => ({ 'README.md': '# Reference\n' }),
  }
}

function typedoc(name: string, npm: Record<string, string>): Site {
  const settings = {
    ...{ entryPoints: ['src/index.ts'], out: 'out', skipErrorChecking: true, excludeExternals: false, name: 'Types' },
    plugin: Object.keys(npm),
  }
  return {
    name,
    description: ['TypeDoc 0.28', ...namesOf(npm), 'the types of undici'].join(', '),
    npm: { typedoc: '0.28.20', typescript: '5.9.3', 'undici-types': '7.16.0', '@types/node': '24.0.0', ...npm },
    build: 'typedoc',
    files: () => ({
      'README.md': '# Types\n\nThe types of a client for HTTP.\n',
      'src/index.ts': `export * from 'undici-types'\n`,
      'tsconfig.json': '{"compilerOptions":{"module":"nodenext","strict":true,"skipLibCheck":true},"include":["src"]}',
      'typedoc.json': JSON.stringify(settings),
    }),
    search: {
      path: '/modules.html',
      opener: '#tsd-search-trigger',
      field: '#tsd-search-input',
      hits: '#tsd-search-results li',
      queries: ['Agent', 'Dispatcher', 'WebSocket'],
    },
  }
}

/** Starlight with Pagefind: hundreds of files whose names occur only in a compressed index. */
function starlight(name: string, npm: Record<string, string>): Site {
  const [theme] = Object.keys(npm)
  return {
    name,
    description: ['Starlight 0.42', ...namesOf(npm), 'Pagefind'].join(', '),
    npm: { astro: '7.3.5', '@astrojs/starlight': '0.42.4', ...npm },
    build: 'astro build',
    out: 'dist',
    link: inFolders,
    files: documents => ({
      'src/content.config.mjs': `import { defineCollection } from 'astro:content'
import { docsLoader } from '@astrojs/starlight/loaders'
import { docsSchema } from '@astrojs/starlight/schema'
export const collections = { docs: defineCollection({ loader: docsLoader(), schema: docsSchema() }) }\n`,
      'astro.config.mjs': `import starlight from '@astrojs/starlight'
${theme ? `import theme from '${theme}'\n` : ''}import { defineConfig, passthroughImageService } from 'astro/config'
const image = { service: passthroughImageService() }
const integrations = [starlight({ title: 'Docs'${theme ? ', plugins: [theme({})]' : ''} })]
export default defineConfig({ site: 'https://docs.example.com', image, integrations })\n`,
      ...toFiles(documents, 'src/content/docs/*.md'),
    }),
    hydrated: `customElements.get('starlight-theme-select') !== undefined`,
    ...(theme ? {} : { themeToggle: 'starlight-theme-select select' }),
    search: {
      path: '/guides/testing/',
      opener: 'site-search button[data-open-modal]',
      field: '#starlight__search .pagefind-ui__search-input',
      hits: '#starlight__search .pagefind-ui__result-link',
    },
  }
}

/** Generators with several themes. */
export const themeSites: readonly Site[] = [
  sphinx('pydata_sphinx_theme', 'PyData', ['python3-pydata-sphinx-theme']),
  sphinx('sphinx_book_theme', 'Book', ['python3-sphinx-book-theme']),
  sphinx('sphinx_rtd_theme', 'Read the Docs', ['python3-sphinx-rtd-theme']),
  jsdoc('jsdoc', {}),
  jsdoc('docdash', { docdash: '2.0.2' }),
  jsdoc('clean-jsdoc', { 'clean-jsdoc-theme': '5.2.0' }),
  typedoc('typedoc', {}),
  typedoc('typedoc-material', { 'typedoc-material-theme': '1.4.1' }),
  typedoc('typedoc-github', { 'typedoc-github-theme': '0.4.0' }),
  starlight('starlight', {}),
  starlight('starlight-rapide', { 'starlight-theme-rapide': '0.6.0' }),
  starlight('starlight-black', { 'starlight-theme-black': '0.7.1' }),
  {
    name: 'vuepress-hope',
    description: 'VuePress 2 with the theme Hope 2',
    npm: {
      vuepress: '2.0.0-rc.31',
      '@vuepress/bundler-vite': '2.0.0-rc.31',
      'vuepress-theme-hope': '2.0.0-rc.107',
      'sass-embedded': '1.108.2',
      vue: '3.5.22',
    },
    build: 'vuepress build docs',
    out: 'docs/.vuepress/dist',
    link: slug => addressOf(slug, '/', '.html'),
    files(documents) {
      const sidebar = documents.map(({ slug, title }) => ({ text: title, link: addressOf(slug, '/', '.html') }))
      const renamed = documents.map(each => ({ ...each, slug: each.slug.replace(/(^|\/)index$/, '$1README') }))
      return {
        'docs/.vuepress/config.js': `import { viteBundler } from '@vuepress/bundler-vite'
import { hopeTheme } from 'vuepress-theme-hope'
const theme = hopeTheme({ sidebar: ${JSON.stringify(sidebar)} })
export default { title: 'Docs', bundler: viteBundler(), theme, markdown: { code: { vPre: true } } }\n`,
        ...toFiles(renamed, 'docs/*.md', each =>
          withFrontMatter({ ...each, body: `# ${each.title}\n\n::: v-pre\n\n${each.body}\n\n:::` }),
        ),
      }
    },
  },
  {
    name: 'hexo',
    description: 'Hexo 8 with the theme NexT 8 and its local search',
    npm: {
      ...{ hexo: '8.1.2', 'hexo-theme-next': '8.29.0', 'hexo-generator-searchdb': '1.5.0' },
      ...{ 'hexo-renderer-marked': '7.0.1', 'hexo-generator-index': '4.0.0', 'hexo-generator-archive': '2.0.0' },
      ...{ 'hexo-renderer-stylus': '3.0.1', '@next-theme/plugins': '8.29.1', css: '3.0.0' },
    },
    type: null,
    build: 'npm pkg set hexo.version=8.1.2 && hexo generate',
    out: 'public',
    link: slug => (slug === 'index' ? '/' : `/${slug}/`),
    files: documents => ({
      '_config.yml': `title: Docs\nurl: http://docs.example.com\npermalink: :title/\ntheme: next\nsearch: { path: search.xml, field: post, content: true }\nsyntax_highlighter: highlight.js\n`,
      '_config.next.yml': 'local_search: { enable: true }\n',
      ...toFiles(
        documents.filter(({ slug }) => slug !== 'index'),
        'source/_posts/*.md',
        each =>
          withFrontMatter({ ...each, body: `{% raw %}\n${each.body}\n{% endraw %}` }, { date: '2026-01-01 10:00:00' }),
      ),
    }),
  },
]
