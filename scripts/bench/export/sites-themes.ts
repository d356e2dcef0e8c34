import { addressOf, type Document, toFiles, withHeading } from './documents.ts'
import type { Site } from './site.ts'

const inFolders = (slug: string) => addressOf(slug, '/', '/')

/** Sphinx reads Markdown with MyST. Its links go from source to source. */
function sphinx(theme: string, description: string, packages: string[]): Site {
  return {
    name: `sphinx-${theme.replace(/^sphinx_|(_sphinx)?_theme$/g, '')}`,
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
  }
}

const namesOf = (npm: Record<string, string>) => Object.entries(npm).map(each => each.join(' '))

/** JSDoc with a template of npm. clean-jsdoc-theme 5 cannot be built, and version 4 not from all sources of JSDoc. */
function jsdoc(name: string, npm: Record<string, string>, source: string): Site {
  const [template] = Object.keys(npm)
  return {
    name,
    description: ['JSDoc 4', ...namesOf(npm), `the sources of ${source}`].join(', '),
    npm: { jsdoc: '4.0.5', lodash: '4.17.21', leaflet: '1.9.4', ...npm },
    build: `jsdoc ${source.replace(/^| /g, '$&node_modules/')} -r -d out${template ? ` -t node_modules/${template}` : ''}`,
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
  jsdoc('jsdoc', {}, 'lodash/lodash.js leaflet/src'),
  jsdoc('docdash', { docdash: '2.0.2' }, 'jsdoc/lib'),
  jsdoc(
    'clean-jsdoc',
    { 'clean-jsdoc-theme': '4.3.3' },
    'jsdoc/lib/jsdoc/src jsdoc/lib/jsdoc/tag jsdoc/lib/jsdoc/opts',
  ),
  typedoc('typedoc', {}),
  typedoc('typedoc-material', { 'typedoc-material-theme': '1.4.1' }),
  typedoc('typedoc-github', { 'typedoc-github-theme': '0.4.0' }),
  starlight('starlight', {}),
  starlight('starlight-rapide', { 'starlight-theme-rapide': '0.6.0' }),
  starlight('starlight-black', { 'starlight-theme-black': '0.7.1' }),
]
