import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { copyMarkdown, listFiles, markdownRecipe, prepareMarkdown } from './markdown.ts'
import { makeOnce } from './ready.ts'
import { runNpm } from './run-tool.ts'
import { searchWords } from './search-words.ts'
import type { BenchSite } from './site.ts'

const version = '3.10.2'
const searchPlugin = { name: '@easyops-cn/docusaurus-search-local', version: '0.55.3' }
const domain = 'docs.example.com'
const docsearch = '4.6.3'

/** The classic template of Docusaurus with the documents of three packages and a local search. Every page uses React. */
export const docusaurusSite: BenchSite = {
  name: 'docusaurus',
  description: `Docusaurus ${version}, classic, local search`,
  domain,
  isUnseen: false,
  isServerRendered: false,
  hasFallback: false,
  async prepare(cacheFolder) {
    const markdown = await prepareMarkdown(cacheFolder)
    const recipe = [version, searchPlugin, docsearch, domain, markdownRecipe]
    const project = await makeOnce(cacheFolder, 'docusaurus', recipe, folder => build(folder, markdown))
    const folder = join(project, 'site', 'build')
    const pages = listFiles(folder, '.html').filter(path => path !== '404.html')
    return { folder, pages: pages.map(path => `/${path.replace(/(\/?index)?\.html$/, '')}`).sort() }
  },
  app: {
    hydrated: `document.documentElement.dataset.hasHydrated === 'true'`,
    themeToggle: 'button[class*=toggleButton]',
    theme: `document.documentElement.dataset.theme + ' ' + document.documentElement.dataset.themeChoice`,
    clickFrom: '/docs/fastify/Reference/Hooks',
    clickTo: '/docs/fastify/Reference/Logging',
    menuLinks: 'nav.menu a[href]',
  },
  search: {
    path: '/docs/intro',
    opener: 'input.navbar__search-input',
    field: 'input.navbar__search-input',
    hits: '[class*=dropdownMenu] [class*=suggestion]',
    queries: searchWords,
  },
}

async function build(folder: string, markdown: string): Promise<void> {
  await runNpm(
    ['exec', '--yes', '--', `create-docusaurus@${version}`, 'site', 'classic', '--javascript', '--skip-install'],
    { folder, log: 'create.log' },
  )
  const site = join(folder, 'site')
  const manifest = JSON.parse(await readFile(join(site, 'package.json'), 'utf8'))
  manifest.dependencies[searchPlugin.name] = searchPlugin.version
  manifest.overrides = Object.fromEntries(['core', 'react', 'css'].map(name => [`@docsearch/${name}`, docsearch]))
  await writeFile(join(site, 'package.json'), JSON.stringify(manifest, undefined, 2))
  await rm(join(site, 'docs'), { recursive: true })
  await mkdir(join(site, 'docs'))
  await copyMarkdown(markdown, join(site, 'docs'), text => text)
  await writeFile(
    join(site, 'docs', 'intro.md'),
    '---\nslug: /intro\n---\n# Three sets of documents\n\nPick one from the menu.\n',
  )
  await configure(site)
  await runNpm(['install'], { folder: site, log: 'npm.log' })
  await runNpm(['run', 'build'], { folder: site, log: 'build.log', env: { CI: '1' }, timeoutMs: 900_000 })
}

/** The settings of the template, with plain Markdown instead of MDX, with the search, and with broken links allowed. */
async function configure(site: string): Promise<void> {
  const file = join(site, 'docusaurus.config.js')
  await cp(file, join(site, 'docusaurus.template.js'))
  await writeFile(
    file,
    `import template from './docusaurus.template.js'
export default {
  ...template,
  url: 'https://${domain}',
  onBrokenLinks: 'ignore',
  onBrokenAnchors: 'ignore',
  markdown: { format: 'md', hooks: { onBrokenMarkdownLinks: 'warn', onBrokenMarkdownImages: 'warn' } },
  themes: [['${searchPlugin.name}', { hashed: true, indexBlog: false }]],
}
`,
  )
}
