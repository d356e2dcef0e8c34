import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { addressOf, toFiles, withFrontMatter, withHeading } from './documents.ts'
import type { Site } from './site.ts'

const inFolders = (slug: string) => addressOf(slug, '/', '/')
/** Links between the sources themselves. */
const betweenFiles = (slug: string, from: string) => `${from.includes('/') ? '../' : ''}${slug}.md`

/** A page of a generator without a theme of its own. */
const layout = (title: string, style: string, menu: string, content: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title>${style}</head>
<body><nav><ul>${menu}</ul></nav><main><h1>${title}</h1>${content}</main></body></html>
`
const twoColumns = 'body { display: grid; grid-template-columns: 16rem 1fr }\n'

const mkdocs = (theme: string) => (documents: Parameters<typeof toFiles>[0]) => ({
  'mkdocs.yml': `site_name: Docs\nsite_url: https://docs.example.com/\nsite_dir: out\ntheme:\n${theme}plugins: [search]\n`,
  ...toFiles(documents, 'docs/*.md', withHeading),
})
const material = `  name: material
  font: false
  features: [navigation.tabs, search.highlight]
  palette:
    - { scheme: default, toggle: { icon: material/weather-night, name: Switch to dark mode } }
    - { scheme: slate, toggle: { icon: material/weather-sunny, name: Switch to light mode } }
`

/** Sphinx reads the comments of these modules of Python's own library. */
const modules =
  'argparse asyncio collections csv dataclasses email functools glob http json logging pathlib queue random shutil'
    .split(' ')
    .concat(['socket', 'string', 'tempfile', 'textwrap', 'zipfile'])

/** An API reference: one page that renders an OpenAPI document in the browser, and an ordinary page that links to it. */
function reference(
  name: string,
  npm: Record<string, string>,
  assets: Record<string, string>,
  body: string,
  head = '',
): Site {
  const copies = Object.entries(assets).map(([to, from]) => `cpSync('node_modules/${from}', 'out/${to}')`)
  const page = (title: string, head: string, body: string) =>
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>${head}</head><body>${body}</body></html>\n`
  return {
    name,
    description: `API reference by ${Object.keys(npm).join()} ${Object.values(npm).join()}`,
    isReference: true,
    npm,
    build: 'node build.js',
    files: () => ({
      'build.js': `import { cpSync } from 'node:fs'\n${copies.join('\n')}\n`,
      'out/openapi.json': readFileSync(join(import.meta.dirname, '../../../generated/openapi.json'), 'utf8'),
      'out/index.html': page(
        'Docs',
        '',
        '<nav><a href="/reference/">Reference</a></nav><h1>Docs</h1><p>The reference describes every operation.</p>',
      ),
      'out/reference/index.html': page('Reference', head, body),
    }),
  }
}

export const referenceSites: readonly Site[] = [
  reference(
    'swagger-ui',
    { 'swagger-ui-dist': '5.35.0' },
    { 'ui.css': 'swagger-ui-dist/swagger-ui.css', 'ui.js': 'swagger-ui-dist/swagger-ui-bundle.js' },
    `<div id="swagger-ui"></div><script src="/ui.js"></script>
<script>SwaggerUIBundle({ url: '/openapi.json', dom_id: '#swagger-ui' })</script>`,
    '<link rel="stylesheet" href="/ui.css">',
  ),
  reference(
    'scalar',
    { '@scalar/api-reference': '1.72.1' },
    { 'scalar.js': '@scalar/api-reference/dist/browser/standalone.js' },
    `<div id="app"></div><script src="/scalar.js"></script>
<script>Scalar.createApiReference('#app', { url: '/openapi.json', withDefaultFonts: false })</script>`,
  ),
  reference(
    'redoc',
    { redoc: '2.5.1' },
    { 'redoc.js': 'redoc/bundles/redoc.standalone.js' },
    `<redoc spec-url="/openapi.json"></redoc><script src="/redoc.js"></script>`,
  ),
  reference(
    'rapidoc',
    { rapidoc: '9.3.8' },
    { 'rapidoc.js': 'rapidoc/dist/rapidoc-min.js' },
    `<rapi-doc spec-url="/openapi.json" load-fonts="false"></rapi-doc><script type="module" src="/rapidoc.js"></script>`,
  ),
  reference(
    'elements',
    { '@stoplight/elements': '9.0.25' },
    {
      'elements.js': '@stoplight/elements/web-components.min.js',
      'elements.css': '@stoplight/elements/styles.min.css',
    },
    `<elements-api apiDescriptionUrl="/openapi.json" router="hash" layout="stacked"></elements-api>`,
    '<link rel="stylesheet" href="/elements.css"><script src="/elements.js"></script>',
  ),
]

/** Sites of generators whose pages are HTML with small scripts. */
export const generatorSites: readonly Site[] = [
  {
    name: 'hugo',
    description: 'Hugo (Debian), own layout with fingerprinted style sheet',
    packages: ['hugo'],
    command: ['/usr/bin/hugo', '--destination', 'out'],
    link: inFolders,
    files(documents) {
      const style = `{{ with resources.Get "site.css" | minify | fingerprint }}<link rel="stylesheet" href="{{ .RelPermalink }}" integrity="{{ .Data.Integrity }}">{{ end }}`
      const menu = `{{ range .Site.Pages.ByTitle }}<li><a href="{{ .RelPermalink }}">{{ .Title }}</a></li>{{ end }}`
      const page = layout('{{ .Title }}', style, menu, '{{ .TableOfContents }}{{ .Content }}')
      const config =
        'baseURL = "https://docs.example.com/"\ntitle = "Docs"\ndisableKinds = ["taxonomy", "term", "RSS"]\n'
      const layouts = {
        'layouts/_default/single.html': page,
        'layouts/_default/list.html': page,
        'layouts/index.html': page,
      }
      const renamed = documents.map(each => ({ ...each, slug: each.slug.replace(/(^|\/)index$/, '$1_index') }))
      return { 'config.toml': config, ...layouts, 'assets/site.css': twoColumns, ...toFiles(renamed, 'content/*.md') }
    },
  },
  {
    name: 'jekyll',
    description: 'Jekyll with the theme minima (Debian)',
    packages: ['jekyll', 'jekyll-theme-minima'],
    command: ['/usr/bin/jekyll', 'build', '--destination', 'out'],
    link: slug => addressOf(slug, '/', '.html'),
    files: documents => ({
      '_config.yml': 'title: Docs\nurl: https://docs.example.com\ntheme: minima\nexclude: [out, build.log]\n',
      ...toFiles(documents, '*.md', ({ body, ...document }) =>
        withFrontMatter({ ...document, body: `{% raw %}\n${body}\n{% endraw %}` }, { layout: 'page' }),
      ),
    }),
  },
  {
    name: 'mkdocs',
    description: 'MkDocs with the theme readthedocs (Debian)',
    packages: ['mkdocs'],
    command: ['/usr/bin/mkdocs', 'build'],
    link: betweenFiles,
    files: mkdocs('  name: readthedocs\n'),
    search: { path: '/search.html?q={query}', hits: '#mkdocs-search-results article h3 a' },
  },
  {
    name: 'material',
    description: 'MkDocs with Material 8 (Debian)',
    packages: ['mkdocs', 'mkdocs-material'],
    command: ['/usr/bin/mkdocs', 'build'],
    link: betweenFiles,
    files: mkdocs(material),
    themeToggle: 'label.md-header__button[for^=__palette]:not([hidden])',
    search: { path: '/guides/testing/', field: 'input.md-search__input', hits: '.md-search-result__item' },
  },
  {
    name: 'sphinx',
    description: 'Sphinx 5 with the theme Furo, autodoc and viewcode (Debian)',
    packages: ['python3-sphinx', 'furo'],
    command: ['/usr/bin/sphinx-build', '-b', 'html', '-q', 'source', 'out'],
    files: () => ({
      'source/conf.py': `project = 'Library'\nextensions = ['sphinx.ext.autodoc', 'sphinx.ext.viewcode']\nhtml_theme = 'furo'\n`,
      'source/index.rst': `Library\n=======\n\n.. toctree::\n\n${modules.map(name => `   ${name}`).join('\n')}\n`,
      ...Object.fromEntries(
        modules.map(name => [
          `source/${name}.rst`,
          `${name}\n${'='.repeat(name.length)}\n\n.. automodule:: ${name}\n   :members:\n`,
        ]),
      ),
    }),
    search: {
      path: '/search.html?q={query}',
      hits: '#search-results li > a',
      queries: ['encoder', 'timeout', 'suffix'],
    },
  },
  {
    name: 'doxygen',
    description: 'Doxygen 1.9 with search and tree view (Debian), headers of node-addon-api and nan',
    // Only scripts link the pages from the first one.
    start: '/annotated.html',
    packages: ['doxygen'],
    npm: { 'node-addon-api': '8.5.0', nan: '2.23.0' },
    command: ['/usr/bin/doxygen', 'Doxyfile'],
    files: () => ({
      Doxyfile: [
        'PROJECT_NAME = Headers\nINPUT = node_modules/node-addon-api node_modules/nan\nFILE_PATTERNS = *.h\nRECURSIVE = YES',
        'EXTRACT_ALL = YES\nHTML_OUTPUT = out\nGENERATE_LATEX = NO\nGENERATE_TREEVIEW = YES\nHTML_TIMESTAMP = NO\nQUIET = YES\n',
      ].join('\n'),
    }),
    search: {
      path: '/annotated.html',
      field: '#MSearchField',
      hits: '.SRResult',
      frame: 'MSearchResults',
      queries: ['Buffer', 'Callback', 'Scope'],
    },
  },
  {
    name: 'eleventy',
    description: 'Eleventy 3, plain HTML with a folder for each page',
    npm: { '@11ty/eleventy': '3.1.8' },
    build: 'eleventy',
    out: '_site',
    link: inFolders,
    files(documents) {
      const menu = `{% for page in collections.all %}<li><a href="{{ page.url }}">{{ page.data.title }}</a></li>{% endfor %}`
      const config = `config.addPassthroughCopy({ 'src/style.css': 'style.css' })\n  return { dir: { input: 'src' }, markdownTemplateEngine: false }`
      const style = '<link rel="stylesheet" href="/style.css">'
      return {
        'eleventy.config.js': `export default config => {\n  ${config}\n}\n`,
        'src/style.css': twoColumns,
        'src/_includes/page.njk': layout('{{ title }}', style, menu, '{{ content | safe }}'),
        ...toFiles(documents, 'src/*.md', document => withFrontMatter(document, { layout: 'page.njk' })),
      }
    },
  },
  {
    name: 'honkit',
    description: 'HonKit 6, default theme with search and font settings',
    npm: { honkit: '6.1.7' },
    build: 'honkit build docs out',
    out: 'docs/out',
    link: (slug, from) => betweenFiles(slug.replace(/(^|\/)index$/, '$1README'), from),
    files(documents) {
      const renamed = documents.map(each => ({ ...each, slug: each.slug.replace(/(^|\/)index$/, '$1README') }))
      const summary = renamed.map(({ slug, title }) => `* [${title}](${slug}.md)`).join('\n')
      const write = (each: (typeof documents)[number]) => withHeading(each).replace(/\{(?=[{%#])/g, '{ ')
      const book = { 'docs/book.json': '{"title":"Docs"}', 'docs/SUMMARY.md': `# Summary\n\n${summary}\n` }
      return { ...book, ...toFiles(renamed, 'docs/*.md', write) }
    },
    search: {
      path: '/guides/testing.html',
      field: '#book-search-input input',
      hits: '#book-search-results .search-results-item',
    },
  },
  ...referenceSites,
]
