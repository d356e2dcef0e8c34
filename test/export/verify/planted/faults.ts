import { oddPage, oddTemplate, type PlantedPage, type Planting, type SiteKind, words } from './site.ts'

/** What is wrong with a page. */
export type FaultKind = 'text' | 'chunk' | 'theme' | 'search' | 'outbound'

/** A fault planted into a site. */
export interface Fault {
  kind: FaultKind
  site: SiteKind
  /** Whether one page has the fault, or all pages of a template. */
  where: 'page' | 'template'
  planting: Planting
  /** Words that only the faulty pages show; '' = none. */
  shows?: string
}

const isOdd = {
  page: ({ name }: PlantedPage) => name === oddPage,
  template: ({ template }: PlantedPage) => template === oddTemplate,
}

/** Returns a function that returns the text on the odd pages only. */
const on = (where: Fault['where'], text: string) => (page: PlantedPage) => (isOdd[where](page) ? text : '')

const late = words('late', 60)
const lateData = { '/data/changes.json': JSON.stringify(late) }
const showData = (selector: string, address: string) =>
  `for (const it of document.querySelectorAll('${selector}')) fetch(${address}).then(it => it.json()).then(text => it.append(text));`

/** Text that a script loads, from an address that works only at the origin. */
const textFaults: Fault[] = [
  {
    ...{ kind: 'text', site: 'app', where: 'page', shows: late },
    planting: {
      markup: on('page', '<div class="changes" data-from="/data/changes.json"></div>'),
      code: showData('[data-from]', 'it.dataset.from'),
      files: lateData,
    },
  },
  {
    ...{ kind: 'text', site: 'app', where: 'template', shows: late },
    planting: {
      markup: on('template', '<section id="changes"></section>'),
      code: showData('#changes', '"/data/changes.json"'),
      files: lateData,
    },
  },
  {
    ...{ kind: 'text', site: 'plain', where: 'page', shows: late },
    planting: {
      markup: on('page', '<div id="changes"></div>'),
      code: showData('#changes', '"/data/changes.json"'),
      files: lateData,
    },
  },
  {
    ...{ kind: 'text', site: 'plain', where: 'template', shows: late },
    planting: {
      markup: on('template', '<change-list></change-list>'),
      code: showData('change-list', "base + 'data/changes.json'"),
      files: lateData,
    },
  },
]

const chunkShown = "document.querySelector('article').append(' chunkready')"

/** Scripts that the server does not have, and scripts whose names only a running script knows. */
const chunkFaults: Fault[] = [
  {
    ...{ kind: 'chunk', site: 'app', where: 'page' },
    planting: {
      head: on('page', '<link rel="modulepreload" href="/assets/widget-9.js">'),
      chunk: name => (name === oddPage ? "import('/assets/widget-9.js')" : ''),
      files: { '/assets/widget-9.js': { status: 404, body: '' } },
    },
  },
  {
    ...{ kind: 'chunk', site: 'app', where: 'template', shows: 'chunkready' },
    planting: {
      attributes: on('template', 'data-parts="7 layout"'),
      code: `const parts = document.body.dataset.parts; if (parts) import(['', 'assets', parts.split(' ').reverse().join('-')].join('/') + '.js')`,
      files: { '/assets/layout-7.js': chunkShown },
    },
  },
  {
    ...{ kind: 'chunk', site: 'plain', where: 'page', shows: 'chunkready' },
    planting: {
      markup: on('page', '<figure data-chart="pie"></figure>'),
      code: `for (const it of document.querySelectorAll('[data-chart]')) {
        const made = document.createElement('script')
        made.src = [base + 'assets', it.dataset.chart + 's', 'draw'].join('/') + '.js'
        document.head.append(made)
      }`,
      files: { '/assets/pies/draw.js': chunkShown },
    },
  },
  {
    ...{ kind: 'chunk', site: 'plain', where: 'template' },
    planting: { files: { [`/assets/${oddTemplate}.js`]: { status: 404, body: '' } } },
  },
]

const night = 'body { background: rgb(0, 0, 60); color: rgb(250, 250, 200) }'
/** The usual dark theme changes nothing on these pages. */
const noDark = '[data-theme=dark] body { background: rgb(255, 255, 255); color: rgb(20, 20, 20) }'

/** Theme buttons that work at the origin and not everywhere in the bundle. */
const themeFaults: Fault[] = [
  { ...{ kind: 'theme', site: 'app', where: 'page' }, planting: { isShell: isOdd.page } },
  {
    ...{ kind: 'theme', site: 'app', where: 'template' },
    planting: {
      head: on('template', `<style>${noDark} :root[data-look=night] ${night}</style>`),
      attributes: on('template', 'data-looks'),
      code: `if ('looks' in document.body.dataset) document.querySelector('.theme-toggle').onclick = () => { document.documentElement.dataset.look = 'night' }`,
    },
  },
  {
    ...{ kind: 'theme', site: 'plain', where: 'page' },
    planting: {
      head: on('page', `<style>${noDark}</style>`),
      markup: on(
        'page',
        `<script>document.querySelector('.theme-toggle').onclick = async () => { const { look } = await (await fetch('/data/look.json')).json(); document.body.style.background = look }</script>`,
      ),
      files: { '/data/look.json': '{"look":"rgb(0, 0, 60)"}' },
    },
  },
  {
    ...{ kind: 'theme', site: 'plain', where: 'template' },
    planting: {
      head: on('template', `<style>${noDark}</style>`),
      chunk: name =>
        name === oddTemplate
          ? `document.querySelector('.theme-toggle').onclick = () => { const made = document.createElement('link'); made.rel = 'stylesheet'; made.href = [window.base + 'assets', 'night'].join('/') + '.css'; document.head.append(made) }`
          : '',
      files: { '/assets/night.css': `:root:root ${night}` },
    },
  },
]

/** Searches that find nothing in the bundle, because only a search asks for their index. */
const search = (index: string) => `{
  const field = document.querySelector('input[type=search]')
  field?.addEventListener('input', async () => {
    const entries = await (await fetch(${index})).json()
    document.querySelector('.hits').innerHTML = entries.filter(it => it.includes(field.value.toLowerCase())).map(it => '<li><a href="#' + it + '">' + it + '</a></li>').join('')
  })
}`
const field = '<form><input type="search" placeholder="Search"><ul class="hits"></ul></form>'
const entries = JSON.stringify(Array.from({ length: 40 }, (_, index) => `guide ${index} and more`))
const searchFaults: Fault[] = (['app', 'plain'] as const).flatMap(site =>
  (['page', 'template'] as const).map(
    (where): Fault => ({
      ...{ kind: 'search', site, where },
      planting: {
        markup: on(where, field),
        code: search("['', 'data', document.documentElement.lang, 'words'].join('/') + '.json'"),
        files: { '/data/en/words.json': entries },
      },
    }),
  ),
)

/** Requests to other hosts. */
const outboundFaults: Fault[] = [
  {
    ...{ kind: 'outbound', site: 'app', where: 'page' },
    planting: {
      markup: on('page', "<script>new Image().src = 'https://pixel.invalid/p.gif?' + location.pathname</script>"),
    },
  },
  {
    ...{ kind: 'outbound', site: 'app', where: 'template' },
    planting: {
      chunk: name =>
        name.startsWith(`${oddTemplate}-`)
          ? "navigator.sendBeacon('https://stats.invalid/b', location.href); fetch('https://stats.invalid/f').catch(() => {})"
          : '',
    },
  },
  {
    ...{ kind: 'outbound', site: 'plain', where: 'page' },
    planting: {
      head: on('page', '<link rel="preconnect" href="https://fonts.invalid">'),
      markup: on('page', '<img src="https://cdn.invalid/x.png" alt=""><iframe src="https://frames.invalid/"></iframe>'),
    },
  },
  {
    ...{ kind: 'outbound', site: 'plain', where: 'template' },
    planting: {
      chunk: name =>
        name === oddTemplate
          ? "new WebSocket('wss://live.invalid/'); fetch('https://live.invalid/f').catch(() => {}); const made = document.createElement('script'); made.src = 'https://live.invalid/s.js'; document.head.append(made)"
          : '',
    },
  },
]

export const faults: readonly Fault[] = [
  ...textFaults,
  ...chunkFaults,
  ...themeFaults,
  ...searchFaults,
  ...outboundFaults,
]
