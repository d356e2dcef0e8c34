import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { addressOf, type Document, toFiles, withFrontMatter, withHeading, withKnownLanguages } from './documents.ts'
import type { Site } from './site.ts'
import { asModule, css, reactBody, reactControls } from './sites-frameworks.ts'

// A long file: a table of sites, a row of settings and templates each.

const asHtml = (slug: string) => addressOf(slug, '/', '.html')
/** `/guides` for the first page of a folder. */
const bare = (slug: string) => addressOf(slug).replace(/(.)\/$/, '$1')
const react = { react: '19.3.1', 'react-dom': '19.3.1' }
const openApi = () => readFileSync(join(import.meta.dirname, '../../../generated/openapi.json'), 'utf8')
/** Stops Vue from evaluating braces. */
const forVue = (document: Document) =>
  withFrontMatter({ ...document, body: `# ${document.title}\n\n::: v-pre\n\n${document.body}\n\n:::` })

/** Names that Compodoc gives the pages of the guides. */
const compodocGuides =
  'aws benchmarking database delay-accepting-requests detecting-when-clients-abort ecosystem fastify-style-guide'
    .concat(' fluent-schema getting-started history-behind-prototype-poisoning how-to-write-a-good-plugin')
    .concat(" how-to-write-your-own-type-provider recommendations testing the-hitchhiker's-guide-to-plugins")
    .concat(' v3-migration-guide v4-migration-guide v5-migration-guide')
    .split(' ')

/** Sites of generators that were chosen after the exporter was written. It was not changed for them before their first run. */
export const heldOutSites: readonly Site[] = [
  {
    name: 'vuepress-hope',
    description:
      'VuePress 2.0.0-rc.30 with vuepress-theme-hope 2.0.0-rc.107, slimsearch; a second Vue, so the HTML lacks links',
    npm: {
      ...{
        vuepress: '2.0.0-rc.30',
        '@vuepress/bundler-vite': '2.0.0-rc.30',
        'sass-embedded': '1.108.2',
        vue: '3.5.22',
      },
      ...{ 'vuepress-theme-hope': '2.0.0-rc.107', '@vuepress/plugin-slimsearch': '2.0.0-rc.130' },
    },
    build: 'vuepress-vite build docs',
    out: 'docs/.vuepress/dist',
    link: asHtml,
    files(documents) {
      const sidebar = documents.map(({ slug, title }) => ({ text: title, link: asHtml(slug) }))
      const renamed = documents.map(each => ({ ...each, slug: each.slug.replace(/(^|\/)index$/, '$1README') }))
      return {
        'docs/.vuepress/config.js': `import { viteBundler } from '@vuepress/bundler-vite'
import { hopeTheme } from 'vuepress-theme-hope'
const navbar = [{ text: 'Guides', link: '/guides/testing.html' }, { text: 'Reference', link: '/reference/server.html' }]
const theme = hopeTheme({
  hostname: 'https://docs.example.com', darkmode: 'toggle', navbar, sidebar: ${JSON.stringify(sidebar)},
  markdown: { tabs: true, hint: true }, plugins: { slimsearch: { indexContent: true } },
})
export default { title: 'Docs', bundler: viteBundler(), theme, markdown: { code: { vPre: true } } }\n`,
        'docs/tabs.md': `# Tabs\n\n::: tabs\n\n@tab npm\n\nInstall it with npm install.\n\n@tab yarn\n\nAdd it with yarn add.\n\n:::\n
::: details More\nThese are the details.\n:::\n`,
        ...toFiles(renamed, 'docs/*.md', forVue),
      }
    },
    search: {
      path: '/guides/testing.html',
      opener: '.slimsearch-button',
      field: '.slimsearch-input',
      hits: '#slimsearch-results .slimsearch-record',
    },
  },
  {
    name: 'markbind',
    description: 'MarkBind 6.3.1, default layout with Bootstrap, Vue and its own search',
    npm: { 'markbind-cli': '6.3.1' },
    type: null,
    build: 'markbind build docs out',
    link: asHtml,
    files(documents) {
      const menu = documents.map(({ slug, title }) => `* [${title}](${asHtml(slug).replace(/\/$/, '/index.html')})\n`)
      return {
        'docs/site.json': JSON.stringify({
          ...{ baseUrl: '', titlePrefix: 'Docs', enableSearch: true, pages: [{ glob: '**/*.md', searchable: true }] },
          ...{ ignore: ['_markbind/layouts/*', '_markbind/logs/*', 'site.json'], style: { codeTheme: 'light' } },
          intrasiteLinkValidation: { enabled: false },
        }),
        'docs/_markbind/layouts/default.md': `<head-bottom></head-bottom>
<header sticky><navbar type="dark"><a slot="brand" href="/index.html" class="navbar-brand">Docs</a>
<li><a href="/index.html" class="nav-link">Home</a></li>
<li slot="right"><form class="navbar-form"><searchbar :data="searchData" placeholder="Search" :on-hit="searchCallback" menu-align-right></searchbar></form></li>
</navbar></header>\n
<div id="flex-body"><nav id="site-nav"><div class="site-nav-top">Contents</div><div class="nav-component slim-scroll"><site-nav>
${menu.join('')}</site-nav></div></nav><div id="content-wrapper">{{ content }}</div>
<nav id="page-nav"><div class="nav-component slim-scroll"><page-nav /></div></nav></div>\n`,
        'docs/tabs.md': `# Tabs\n\n<tabs><tab header="npm">\n\nInstall it with npm install.\n\n</tab><tab header="yarn">\n\nAdd it with yarn add.\n\n</tab></tabs>\n
<panel header="More">\n\nThese are the details.\n\n</panel>\n`,
        ...toFiles(documents, 'docs/*.md', each => `{% raw %}\n${withHeading(each)}\n{% endraw %}\n`),
      }
    },
    search: {
      path: '/guides/testing.html',
      field: '.navbar-form input',
      hits: '.search-dropdown-menu a, .dropdown-menu.search-dropdown-menu li',
    },
  },
  {
    name: 'vike',
    description: 'Vike 0.4.266 with React, prerendered: a click on a link loads index.pageContext.json',
    npm: {
      ...{ ...react, vike: '0.4.266', 'vike-react': '0.6.30', '@vitejs/plugin-react': '6.3.0' },
      ...{ vite: '8.3.8', marked: '18.2.1' },
    },
    build: 'vike build',
    out: 'dist/client',
    link: bare,
    files: documents => ({
      'vite.config.js': `import react from '@vitejs/plugin-react'
import vike from 'vike/plugin'
export default { plugins: [vike(), react()] }\n`,
      'docs.js': asModule(documents),
      'controls.jsx': reactControls,
      'pages/+config.js': `import vikeReact from 'vike-react/config'
export default { extends: [vikeReact], prerender: true, lang: 'en' }\n`,
      'pages/+Layout.jsx': `import { useData } from 'vike-react/useData'
export default function Layout({ children }) {
  const items = (useData()?.menu ?? []).map(({ href, title }) => <li key={href}><a href={href}>{title}</a></li>)
  return <><style>{${JSON.stringify(css)}}</style><div className="page"><nav><ul>{items}</ul></nav><main>{children}</main></div></>
}\n`,
      'pages/_error/+Page.jsx': `export default () => <h1>This page is missing</h1>\n`,
      'pages/doc/+route.js': `export default '*'\n`,
      'pages/doc/+onBeforePrerenderStart.js': `import { docs } from '../../docs.js'\nexport default () => docs.map(({ href }) => href)\n`,
      'pages/doc/+title.js': 'export default ({ data }) => data.title\n',
      'pages/doc/+data.js': `import { marked } from 'marked'
import { render } from 'vike/abort'
import { docs } from '../../docs.js'
export default function data({ urlPathname }) {
  const found = docs.find(({ href }) => href === urlPathname.replace(/(.)\\/$/, '$1'))
  if (!found) throw render(404)
  return { title: found.title, html: marked.parse(found.text), menu: docs.map(({ href, title }) => ({ href, title })) }
}\n`,
      'pages/doc/+Page.jsx': `import { useData } from 'vike-react/useData'
import { More, Tabs, Theme } from '../../controls.jsx'
export default function Page() {
  const { title, html } = useData()
  return <>${reactBody}</>
}\n`,
    }),
  },
  {
    name: 'compodoc',
    description: 'Compodoc 2.0.0, a small Angular application, sources of rxjs and guides; scripts make the menu',
    known: [
      ...['/coverage.html', '/overview.html', '/modules.html', '/architecture.html', '/dependencies.html'],
      ...compodocGuides.map(name => `/additional-documentation/${name}.html`),
    ],
    npm: { '@compodoc/compodoc': '2.0.0', rxjs: '7.8.2', typescript: '5.9.3' },
    build:
      'mkdir -p src/rxjs && cp -r node_modules/rxjs/src/internal/scheduler src/rxjs/ && cp node_modules/rxjs/src/internal/*.ts src/rxjs/ && compodoc -p tsconfig.json -d out --includes guides --includesName Guides',
    link: (slug, from) => `${from.includes('/') ? '../' : ''}${slug}.html`,
    files(all) {
      const documents = all.filter(({ slug }) => slug.startsWith('guides/') && slug !== 'guides/index')
      const file = (slug: string) => slug.replace('guides/', '')
      return {
        'README.md': '# Docs\n\nThe application, its sources and its guides.\n',
        'tsconfig.json':
          '{"compilerOptions":{"experimentalDecorators":true,"target":"ES2022"},"include":["src/**/*.ts"]}',
        'src/app.module.ts': `import { NgModule } from '@angular/core'
import { CounterComponent } from './counter.component'
import { ListComponent } from './list.component'
import { StoreService } from './store.service'
/** The only module of the application. */
@NgModule({ declarations: [CounterComponent, ListComponent], providers: [StoreService], bootstrap: [ListComponent] })
export class AppModule {}\n`,
        'src/store.service.ts': `import { Injectable } from '@angular/core'
/** Keeps the entries. */
@Injectable({ providedIn: 'root' })
export class StoreService {
  private entries: string[] = []
  /** Adds an entry. @param text the text of the entry */
  add(text: string): void { this.entries.push(text) }
  /** Returns all entries in the order in which they were added. */
  all(): readonly string[] { return this.entries }
}\n`,
        'src/counter.component.ts': `import { Component, EventEmitter, Input, Output } from '@angular/core'
/** Counts the presses of a button. */
@Component({ selector: 'app-counter', template: '<button (click)="press()">{{ count }}</button>' })
export class CounterComponent {
  /** The number at the start. */
  @Input() count = 0
  /** Tells the new number. */
  @Output() changed = new EventEmitter<number>()
  press(): void { this.count += 1; this.changed.emit(this.count) }
}\n`,
        'src/list.component.ts': `import { Component } from '@angular/core'
import { StoreService } from './store.service'
/** Shows the entries, each with a counter. */
@Component({ selector: 'app-list', template: '<ul><li *ngFor="let entry of store.all()">{{ entry }} <app-counter></app-counter></li></ul>' })
export class ListComponent { constructor(public store: StoreService) {} }\n`,
        'guides/summary.json': JSON.stringify(
          documents.map(({ slug, title }) => ({ title, file: `${file(slug)}.md` })),
        ),
        ...Object.fromEntries(documents.map(each => [`guides/${file(each.slug)}.md`, withHeading(each)])),
      }
    },
    search: {
      path: '/index.html',
      field: 'compodoc-menu #book-search-input input',
      hits: '.search-results-list li',
      queries: ['scheduler', 'observable'],
    },
  },
  {
    name: 'redocly',
    description: 'API reference by @redocly/cli 2.77.0 build-docs, whose script is on another host',
    isReference: true,
    npm: { '@redocly/cli': '2.77.0' },
    build: 'redocly build-docs out/openapi.json -o out/reference/index.html',
    files: () => ({
      'out/openapi.json': openApi(),
      'out/index.html':
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Docs</title></head><body><nav><a href="/reference/">Reference</a></nav><h1>Docs</h1><p>The reference describes every operation.</p></body></html>\n',
    }),
  },
  {
    name: 'spectaql',
    description: 'SpectaQL 3.0.9, the GraphQL schema of @digdir/dialogporten-schema',
    npm: { spectaql: '3.0.9', '@digdir/dialogporten-schema': '1.118.6' },
    type: null,
    build: 'spectaql config.yml',
    files: () => ({
      'config.yml': `spectaql: { targetDir: out }
introspection: { schemaFile: node_modules/@digdir/dialogporten-schema/schema.verified.graphql }
servers: [{ url: 'https://api.example.com/graphql', production: true }]
info: { title: Dialogs, description: The schema of an inbox for dialogs., version: 1.0.0 }\n`,
    }),
  },
  {
    name: 'graphdoc',
    description: 'graphdoc 2.4.0, the GraphQL schema of @digdir/dialogporten-schema, a page for each type',
    npm: { '@2fd/graphdoc': '2.4.0', graphql: '15.8.0', '@digdir/dialogporten-schema': '1.118.6' },
    build: 'node introspect.js && graphdoc -s ./schema.json -o ./out',
    files: () => ({
      // Its own reader knows only an older form of the language.
      'introspect.js': `import { readFileSync, writeFileSync } from 'node:fs'
import { buildSchema, introspectionFromSchema } from 'graphql'
const text = readFileSync('node_modules/@digdir/dialogporten-schema/schema.verified.graphql', 'utf8')
writeFileSync('schema.json', JSON.stringify({ data: introspectionFromSchema(buildSchema(text)) }))\n`,
    }),
    search: {
      path: '/index.html',
      field: '#type-search',
      hits: 'nav .slds-navigation-list--vertical li:not(.slds-hide)',
      queries: ['Activity', 'Dialog'],
    },
  },
  {
    name: 'zudoku',
    description: 'Zudoku 0.76.0: Markdown, an API reference in React, and Pagefind',
    npm: { ...react, zudoku: '0.76.0' },
    build: 'zudoku build',
    env: { ZUDOKU_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' },
    out: 'dist',
    link: bare,
    files(documents) {
      // A path that is the one of the file would remove the page.
      const item = ({ slug, title }: Document) => ({
        ...{ type: 'doc', file: slug, label: title },
        ...(/(^|\/)index$/.test(slug) ? { path: bare(slug) } : {}),
      })
      const category = (folder: string, label: string) => ({
        ...{ type: 'category', label },
        items: documents.filter(({ slug }) => slug.startsWith(folder)).map(item),
      })
      const config = {
        site: { title: 'Docs' },
        navigation: [
          ...documents.filter(({ slug }) => slug === 'index').map(item),
          category('guides/', 'Guides'),
          category('reference/', 'Reference'),
          { type: 'link', to: '/api', label: 'API' },
        ],
        docs: { files: '/pages/**/*.{md,mdx}' },
        apis: [{ type: 'file', input: './openapi.json', path: '/api' }],
        search: { type: 'pagefind' },
      }
      return {
        'zudoku.config.tsx': `export default ${JSON.stringify(config, undefined, 1)}\n`,
        'tsconfig.json':
          '{"compilerOptions":{"module":"esnext","moduleResolution":"bundler","jsx":"react-jsx","skipLibCheck":true},"include":["*.tsx"]}',
        'openapi.json': openApi(),
        ...toFiles(documents, 'pages/*.md', each => withKnownLanguages(withFrontMatter(each))),
      }
    },
    search: {
      path: '/guides/testing',
      opener: 'button:has(kbd)',
      field: '[cmdk-input]',
      hits: '[cmdk-item]',
    },
  },
  {
    name: 'docmd',
    description: 'docmd 0.9.7, single-page application, MiniSearch, and a copy of each page in Markdown',
    npm: { '@docmd/core': '0.9.7' },
    build: 'docmd build',
    out: 'site',
    link: slug => addressOf(slug, '/', '/'),
    files(documents) {
      const item = ({ slug, title }: Document) => ({ title, path: addressOf(slug, '/', '/') })
      const below = (folder: string) => documents.filter(({ slug }) => slug.startsWith(folder)).map(item)
      const config = {
        ...{ title: 'Docs', url: 'https://docs.example.com', src: 'docs', out: 'site', engine: 'js' },
        layout: {
          ...{ spa: true, header: { enabled: true }, sidebar: { collapsible: true, defaultCollapsed: false } },
          optionsMenu: { position: 'sidebar-top', components: { search: true, themeSwitch: true } },
          footer: { style: 'minimal', content: 'The documents of fastify.', branding: true },
        },
        theme: { name: 'default', appearance: 'system', codeHighlight: true },
        ...{ minify: true, autoTitleFromH1: true, copyCode: true, pageNavigation: true },
        navigation: [
          ...[{ title: 'Home', path: '/' }],
          ...[{ title: 'Tabs', path: '/tabs/' }],
          { title: 'Guides', collapsible: true, children: below('guides/') },
          { title: 'Reference', collapsible: true, children: below('reference/') },
        ],
        plugins: { ai: { assistant: true, projectId: '' }, seo: { defaultDescription: 'Documents of fastify.' } },
      }
      return {
        'docmd.config.json': JSON.stringify(config, undefined, 1),
        'docs/tabs.md': `---\ntitle: Tabs\n---\n\n::: tabs\n== tab "npm"\nInstall it with npm install.\n
== tab "yarn"\nAdd it with yarn add.\n:::\n\n::: collapsible "More"\nThese are the details.\n:::\n`,
        ...toFiles(documents, 'docs/*.md'),
      }
    },
    search: {
      path: '/guides/testing/',
      opener: '.docmd-search-trigger',
      field: '#docmd-search-input',
      hits: '#docmd-search-results .search-result-item',
    },
  },
  {
    name: 'retype',
    description: 'Retype 4.6.0: Vue and Turbo, search by Lunr',
    npm: { retypeapp: '4.6.0' },
    build: 'retype build',
    link: (slug, from) => `${posix.relative(posix.dirname(from), slug)}.md`,
    files: documents => ({
      'retype.yml': `input: docs
output: out
url: docs.example.com
branding:
  title: Docs
links:
  - text: Guides
    link: guides/testing.md
  - text: Reference
    link: reference/server.md
footer:
  copyright: The documents of fastify.
`,
      'docs/tabs.md': `# Tabs\n\n+++ npm\nInstall it with npm install.\n+++ yarn\nAdd it with yarn add.\n+++\n
==- More\nThese are the details.\n===\n`,
      // It refuses a link without an address.
      ...toFiles(documents, 'docs/*.md', each => withHeading(each).replaceAll('](#)', '](#links)')),
    }),
    search: {
      path: '/guides/testing/',
      opener: 'button.bg-search-bg',
      field: '#retype-search-input',
      hits: 'a[data-result-index]',
    },
  },
]
