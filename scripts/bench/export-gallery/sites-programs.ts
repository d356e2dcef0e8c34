import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { listFiles } from '../export/markdown.ts'
import { toFiles } from './built-site.ts'
import { addressOf, readDocuments, withFrontMatter } from './documents.ts'
import { makeNpmProject } from './npm-site.ts'
import { programSite } from './program-site.ts'
import type { GallerySite } from './site.ts'

/** Files for generators that want relative links between the sources. */
async function relativeSources(cacheFolder: string, folder: string): Promise<Record<string, string>> {
  const up = (from: string) => (from.includes('/') ? '../' : '')
  const documents = await readDocuments(cacheFolder, (slug, from) => `${up(from)}${slug}.md`)
  return toFiles(
    documents,
    ({ slug }) => `${folder}/${slug}.md`,
    ({ title, body }) => `# ${title}\n\n${body}\n`,
  )
}

const hugoPage = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>{{ .Title }}</title>{{ with resources.Get "site.css" | minify | fingerprint }}<link rel="stylesheet" href="{{ .RelPermalink }}" integrity="{{ .Data.Integrity }}">{{ end }}</head>
<body>
<nav><ul>{{ range .Site.Pages.ByTitle }}<li><a href="{{ .RelPermalink }}">{{ .Title }}</a></li>{{ end }}</ul></nav>
<main><h1>{{ .Title }}</h1>{{ .TableOfContents }}{{ .Content }}</main>
</body>
</html>
`

const hugoSite = programSite({
  name: 'hugo',
  description: 'Hugo (Debian), own layout with fingerprinted style sheet',
  packages: ['hugo'],
  program: '/usr/bin/hugo',
  args: ['--destination', 'out'],
  async files(cacheFolder) {
    const documents = await readDocuments(cacheFolder, slug => addressOf(slug, '/', '/'))
    return {
      'config.toml':
        'baseURL = "https://docs.example.com/"\ntitle = "Docs"\ndisableKinds = ["taxonomy", "term", "RSS"]\n',
      'layouts/_default/single.html': hugoPage,
      'layouts/_default/list.html': hugoPage,
      'layouts/index.html': hugoPage,
      'assets/site.css': 'body { display: grid; grid-template-columns: 16rem 1fr }\n',
      ...toFiles(documents, ({ slug }) => `content/${slug.replace(/(^|\/)index$/, '$1_index')}.md`, withFrontMatter),
    }
  },
  out: 'out',
})

const jekyllSite = programSite({
  name: 'jekyll',
  description: 'Jekyll with the theme minima (Debian)',
  unseen: true,
  packages: ['jekyll', 'jekyll-theme-minima'],
  program: '/usr/bin/jekyll',
  args: ['build', '--destination', 'out'],
  async files(cacheFolder) {
    const documents = await readDocuments(cacheFolder, slug => addressOf(slug, '/', '.html'))
    return {
      '_config.yml': 'title: Docs\nurl: https://docs.example.com\ntheme: minima\nexclude: [out, build.log]\n',
      ...toFiles(
        documents,
        ({ slug }) => `${slug}.md`,
        ({ body, ...document }) =>
          withFrontMatter({ ...document, body: `{% raw %}\n${body}\n{% endraw %}` }, { layout: 'page' }),
      ),
    }
  },
  out: 'out',
})

const mkdocsSearch = {
  path: '/search.html?q={query}',
  hits: '#mkdocs-search-results article h3 a',
  queries: ['hooks', 'validation', 'decorators'],
}

function mkdocsFiles(theme: string) {
  return async (cacheFolder: string) => ({
    'mkdocs.yml': `site_name: Docs\nsite_url: https://docs.example.com/\nsite_dir: out\ntheme:\n${theme}plugins: [search]\n`,
    ...(await relativeSources(cacheFolder, 'docs')),
  })
}

const readTheDocsSite = programSite({
  name: 'mkdocs',
  description: 'MkDocs with the theme readthedocs (Debian)',
  packages: ['mkdocs'],
  program: '/usr/bin/mkdocs',
  args: ['build'],
  files: mkdocsFiles('  name: readthedocs\n'),
  out: 'out',
  search: mkdocsSearch,
})

const materialTheme = `  name: material
  font: false
  features: [navigation.tabs, search.highlight]
  palette:
    - { scheme: default, toggle: { icon: material/weather-night, name: Switch to dark mode } }
    - { scheme: slate, toggle: { icon: material/weather-sunny, name: Switch to light mode } }
`

const materialSite = programSite({
  name: 'material',
  description: 'MkDocs with Material 8 (Debian)',
  packages: ['mkdocs', 'mkdocs-material'],
  program: '/usr/bin/mkdocs',
  args: ['build'],
  files: mkdocsFiles(materialTheme),
  out: 'out',
  themeToggle: 'label.md-header__button[for^=__palette]:not([hidden])',
  search: {
    path: '/guides/testing/',
    field: 'input.md-search__input',
    hits: '.md-search-result__item',
    queries: mkdocsSearch.queries,
  },
})

/** Sphinx on the comments of Python's own library. */
const sphinxModules = [
  'argparse',
  'asyncio',
  'collections',
  'csv',
  'dataclasses',
  'email',
  'functools',
  'glob',
  'http',
  'json',
].concat(['logging', 'pathlib', 'queue', 'random', 'shutil', 'socket', 'string', 'tempfile', 'textwrap', 'zipfile'])

const sphinxSite = programSite({
  name: 'sphinx',
  description: 'Sphinx 5 with the theme Furo, autodoc and viewcode (Debian)',
  packages: ['python3-sphinx', 'furo'],
  program: '/usr/bin/sphinx-build',
  args: ['-b', 'html', '-q', 'source', 'out'],
  files: async () => ({
    'source/conf.py': `project = 'Library'\nextensions = ['sphinx.ext.autodoc', 'sphinx.ext.viewcode']\nhtml_theme = 'furo'\n`,
    'source/index.rst': `Library\n=======\n\n.. toctree::\n\n${sphinxModules.map(name => `   ${name}`).join('\n')}\n`,
    ...toFiles(
      sphinxModules,
      name => `source/${name}.rst`,
      name => `${name}\n${'='.repeat(name.length)}\n\n.. automodule:: ${name}\n   :members:\n`,
    ),
  }),
  out: 'out',
  search: {
    path: '/search.html?q={query}',
    hits: '#search-results li > a',
    queries: ['encoder', 'timeout', 'suffix'],
  },
})

const doxygenSite = programSite({
  name: 'doxygen',
  description: 'Doxygen 1.9 with search and tree view (Debian), headers of node-addon-api',
  // Only scripts link the pages from the first one.
  start: '/annotated.html',
  packages: ['doxygen'],
  program: '/usr/bin/doxygen',
  args: ['Doxyfile'],
  async files(cacheFolder) {
    const project = await makeNpmProject(cacheFolder, 'headers', {
      dependencies: { 'node-addon-api': '8.5.0', nan: '2.23.0' },
      files: {},
    })
    const modules = join(project, 'node_modules')
    const headers = ['node-addon-api', 'nan'].flatMap(name =>
      listFiles(join(modules, name), '.h').map(path => ({ path: `${name}/${path}`, file: join(modules, name, path) })),
    )
    const texts = await Promise.all(
      headers.map(async ({ path, file }) => [`source/${path}`, await readFile(file, 'utf8')] as const),
    )
    return {
      Doxyfile: `PROJECT_NAME = Headers
INPUT = source
RECURSIVE = YES
EXTRACT_ALL = YES
HTML_OUTPUT = out
GENERATE_LATEX = NO
GENERATE_TREEVIEW = YES
HTML_TIMESTAMP = NO
QUIET = YES
`,
      ...Object.fromEntries(texts),
    }
  },
  out: 'out',
  search: {
    path: '/annotated.html',
    field: '#MSearchField',
    hits: '.SRResult',
    frame: 'MSearchResults',
    queries: ['Buffer', 'Callback', 'Scope'],
  },
})

/** Sites that programs of Debian build. */
export const programSites: readonly GallerySite[] = [
  hugoSite,
  jekyllSite,
  readTheDocsSite,
  materialSite,
  sphinxSite,
  doxygenSite,
]
