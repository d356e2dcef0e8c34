import type { FakeAnswer } from '../../fake-site.ts'

/**
 * How a generator makes the site.
 * - app: a module hydrates pages, knows only their own paths, and loads a chunk for each page
 * - plain: classic scripts with relative addresses, one for all pages and one for each template
 */
export type SiteKind = 'app' | 'plain'

export const templates = ['guide', 'api', 'blog', 'list'] as const
const pagesPerTemplate = 50
/** The template and the page that have the faults. */
export const oddTemplate = 'api'
export const oddPage = 'api-23'

/** A page of a site, named after its template and number. */
export interface PlantedPage {
  name: string
  template: (typeof templates)[number]
}

/** What a fault changes on a site of 200 pages. */
export interface Planting {
  /** Returns markup at the end of the content of a page. */
  markup?(page: PlantedPage): string
  /** Returns markup in the head of a page. */
  head?(page: PlantedPage): string
  /** Returns attributes of the body of a page. */
  attributes?(page: PlantedPage): string
  /** Whether the server sends the page without its content, which a script then adds. */
  isShell?(page: PlantedPage): boolean
  /** Code added to the script of all pages. */
  code?: string
  /** Code added to the chunk of a page, or to the script of a template. */
  chunk?(name: string): string
  /** Further files, and answers that replace those of the site. */
  files?: Record<string, string | FakeAnswer>
}

const pages: PlantedPage[] = templates.flatMap(template =>
  Array.from({ length: pagesPerTemplate }, (_, index) => ({ name: `${template}-${index}`, template })),
)

/** Returns a word list that no other page has. */
export const words = (name: string, count: number): string =>
  Array.from({ length: count }, (_, index) => `${name}word${index}`).join(' ')

/** Returns the path of a page. The first page of a site is at its root. */
export function pathOf(kind: SiteKind, name: string): string {
  if (name === 'guide-0') return '/'
  const path = `/${name.replace('-', '/')}`
  return kind === 'app' ? path : `${path}/`
}

/** Makes a site of 200 pages with four templates, a search and a theme button. */
export function makeSite(kind: SiteKind, planting: Planting): Record<string, string | FakeAnswer> {
  const site: Record<string, string | FakeAnswer> = { '/assets/style.css': style }
  for (const page of pages) site[pathOf(kind, page.name)] = writePage(kind, page, planting)
  Object.assign(site, kind === 'app' ? appFiles(planting) : plainFiles(planting))
  return { ...site, ...planting.files }
}

const style = `
  body { background: rgb(255, 255, 255); color: rgb(20, 20, 20) }
  [data-theme=dark] body { background: rgb(10, 10, 10); color: rgb(240, 240, 240) }`

function writePage(kind: SiteKind, page: PlantedPage, planting: Planting): string {
  const { name, template } = page
  const up = kind === 'app' || pathOf(kind, name) === '/' ? '' : '../../'
  const root = kind === 'app' ? '/' : up
  const link = (other: string) =>
    kind === 'app' ? pathOf(kind, other) : `${up}${pathOf(kind, other).slice(1)}` || './'
  const siblings = pages.filter(other => other.template === template)
  const menu = [...templates.map(each => `${each}-0`), ...siblings.map(other => other.name)]
  const scripts =
    kind === 'app'
      ? `<link rel="modulepreload" href="/assets/pages/${name}.${hash(name)}.js"><script type="module" src="/assets/main.js"></script>`
      : `<script src="${root}assets/site.js" defer></script><script src="${root}assets/${template}.js" defer></script>`
  const content = `<h1>${name}</h1><p>${words(name, 90)}</p><h2 id="more">More on ${name}</h2><p>${words(`${name}more`, 60)}</p>${planting.markup?.(page) ?? ''}`
  const isShell = planting.isShell?.(page) ?? false
  return `<!doctype html><html lang="en" data-theme="light"><head><meta charset="utf-8"><title>${name}</title><link rel="stylesheet" href="${root}assets/style.css">${planting.head?.(page) ?? ''}${scripts}</head><body class="layout-${template}" ${planting.attributes?.(page) ?? ''}><div id="site"><header><button class="theme-toggle" aria-label="Switch theme">Theme</button></header><nav>${menu.map(other => `<a href="${link(other)}">${other}</a>`).join(' ')}</nav><main class="${template}-main">${isShell ? '' : `<article>${content}</article>`}</main></div></body></html>`
}

/** The name of a chunk contains a hash, so a reader of the files cannot guess it. */
function hash(name: string): string {
  let sum = 7
  for (const letter of name) sum = (sum * 31 + letter.charCodeAt(0)) % 0xffffff
  return sum.toString(16).padStart(6, '0')
}

const switchTheme = `
  document.querySelector('.theme-toggle').addEventListener('click', () => {
    const root = document.documentElement
    root.dataset.theme = root.dataset.theme === 'dark' ? 'light' : 'dark'
  })`

function appFiles({ code = '', chunk, isShell = () => false, markup }: Planting) {
  const names = Object.fromEntries(pages.map(({ name }) => [name, hash(name)]))
  const main = `
    const hashes = ${JSON.stringify(names)}
    const name = location.pathname === '/' ? 'guide-0' : location.pathname.slice(1).replace('/', '-')
    const site = document.getElementById('site')
    if (!hashes[name]) site.innerHTML = '<h1>The app does not know this page</h1>'
    else {
      site.__app = name
      const page = await import('/assets/pages/' + name + '.' + hashes[name] + '.js')
      page.default(site)
      ${switchTheme}
      ${code}
    }`
  const files = pages.map(page => {
    const { name } = page
    const content = `<article><h1>${name}</h1><p>${words(name, 90)}</p>${markup?.(page) ?? ''}</article>`
    const fill = isShell(page) ? `site.querySelector('main').innerHTML = ${JSON.stringify(content)}` : ''
    return [
      `/assets/pages/${name}.${hash(name)}.js`,
      `export default site => { ${fill};${chunk?.(name) ?? ''} }`,
    ] as const
  })
  return { '/assets/main.js': main, ...Object.fromEntries(files) }
}

function plainFiles({ code = '', chunk }: Planting) {
  const files = templates.map(name => [`/assets/${name}.js`, `window.layout = '${name}';${chunk?.(name) ?? ''}`])
  const base = "const base = new URL('..', document.currentScript.src).href"
  return { '/assets/site.js': `{ ${base}; window.base = base; ${switchTheme}; ${code} }`, ...Object.fromEntries(files) }
}
