import { addressOf, type Document } from './documents.ts'
import type { Site } from './site.ts'

/** `/guides` for the first page of a folder. */
const bare = (slug: string) => addressOf(slug).replace(/(.)\/$/, '$1')
const inFolders = (slug: string) => addressOf(slug, '/', '/')
const react = { react: '19.3.1', 'react-dom': '19.3.1' }
const marked = { marked: '18.2.1' }

/** The documents as a module: an array of slug, address, title and Markdown. */
export const asModule = (documents: readonly Document[]) =>
  `export const docs = ${JSON.stringify(documents.map(({ slug, title, body }) => ({ slug, href: bare(slug), title, text: body })))}\n`

export const css = `body { margin: 0; font-family: sans-serif } .page { display: grid; grid-template-columns: 16rem 1fr; gap: 1rem } main { min-width: 0 } html.dark, html.dark body { background: #111; color: #eee }`

/** A theme button, tabs and a part that opens, which only work where React runs. */
export const reactControls = `import { useState } from 'react'
export function Theme() {
  const [dark, setDark] = useState(false)
  return <button aria-label="Change the theme" onClick={() => { document.documentElement.classList.toggle('dark', !dark); setDark(!dark) }}>Theme</button>
}
const panels = { npm: 'Install it with npm install.', yarn: 'Add it with yarn add.' }
export function Tabs() {
  const [tab, setTab] = useState('npm')
  const tabs = Object.keys(panels).map(name => <button key={name} role="tab" aria-selected={name === tab} onClick={() => setTab(name)}>{name}</button>)
  return <div><div role="tablist">{tabs}</div><div role="tabpanel">{panels[tab]}</div></div>
}
export function More() {
  const [open, setOpen] = useState(false)
  return <div><button aria-expanded={open} onClick={() => setOpen(!open)}>More</button>{open && <p>These are the details.</p>}</div>
}\n`
export const reactBody = `<Theme /><Tabs /><More /><h1>{title}</h1><div dangerouslySetInnerHTML={{ __html: html }} />`

/** Documentation and application frameworks of 2026. */
export const frameworkSites: readonly Site[] = [
  {
    name: 'react-router',
    description: 'React Router 8, framework mode on its own server: routes are discovered by requests to __manifest',
    npm: {
      ...{ ...react, ...marked, 'react-router': '8.4.0', '@react-router/dev': '8.4.0', '@react-router/node': '8.4.0' },
      ...{ '@react-router/serve': '8.4.0', isbot: '5.2.3', vite: '8.3.8', typescript: '5.9.3' },
    },
    build: 'react-router build',
    serve: ['node_modules/@react-router/serve/bin.cjs', 'build/server/index.js'],
    link: bare,
    files: documents => ({
      'vite.config.js': `import { reactRouter } from '@react-router/dev/vite'\nexport default { plugins: [reactRouter()] }\n`,
      'react-router.config.js': 'export default { ssr: true }\n',
      'app/docs.js': asModule(documents),
      'app/controls.jsx': reactControls,
      'app/routes.js': `import { index, route } from '@react-router/dev/routes'
export default [index('page.jsx', { id: 'start' }), ...['guides', 'reference'].map(name => route(name + '/*', 'page.jsx', { id: name })), route('*', 'page.jsx', { id: 'rest' })]\n`,
      'app/root.jsx': `import { Link, Links, Meta, Outlet, Scripts, useLoaderData } from 'react-router'
import { docs } from './docs.js'
export const loader = () => docs.map(({ href, title }) => ({ href, title }))
export default function Root() {
  const items = useLoaderData().map(({ href, title }) => <li key={href}><Link to={href}>{title}</Link></li>)
  return <html lang="en"><head><meta charSet="utf-8" /><Meta /><Links /><style>{${JSON.stringify(css)}}</style></head>
    <body><div className="page"><nav><ul>{items}</ul></nav><main><Outlet /></main></div><Scripts /></body></html>
}\n`,
      'app/page.jsx': `import { marked } from 'marked'
import { docs } from './docs.js'
import { More, Tabs, Theme } from './controls.jsx'
export function loader({ request }) {
  const path = new URL(request.url).pathname.replace(/(_?\\.data)$/, '').replace(/(.)\\/$/, '$1')
  const found = docs.find(({ href }) => href === path || path === '/_root' && href === '/')
  if (!found) throw new Response('Not found', { status: 404 })
  return { title: found.title, html: marked.parse(found.text) }
}
export const meta = ({ loaderData }) => [{ title: loaderData?.title }]
export default function Page({ loaderData: { title, html } }) { return <>${reactBody}</> }\n`,
    }),
  },
  {
    name: 'tanstack-start',
    description: 'TanStack Start 1, prerendered by following links',
    npm: {
      ...{ ...react, ...marked, '@tanstack/react-start': '1.169.5', '@tanstack/react-router': '1.170.46' },
      ...{ '@vitejs/plugin-react': '6.3.0', vite: '8.3.8' },
    },
    build: 'vite build',
    out: 'dist/client',
    link: bare,
    files: documents => ({
      'vite.config.js': `import { tanstackStart } from '@tanstack/react-start/plugin/vite'
import react from '@vitejs/plugin-react'
export default { plugins: [tanstackStart({ prerender: { enabled: true, crawlLinks: true, concurrency: 1 } }), react()] }\n`,
      'src/docs.js': asModule(documents),
      'src/controls.jsx': reactControls,
      'src/router.jsx': `import { createRouter } from '@tanstack/react-router'
import { routeTree } from './routeTree.gen'
export const getRouter = () => createRouter({ routeTree, scrollRestoration: true })\n`,
      'src/routes/__root.jsx': `import { createRootRoute, HeadContent, Link, Outlet, Scripts } from '@tanstack/react-router'
const loader = async () => (await import('../docs.js')).docs.map(({ href, title }) => ({ href, title }))
export const Route = createRootRoute({ loader, component: Root, head: () => ({ meta: [{ charSet: 'utf-8' }, { title: 'Docs' }] }) })
function Root() {
  const items = Route.useLoaderData().map(({ href, title }) => <li key={href}><Link to={href}>{title}</Link></li>)
  return <html lang="en"><head><HeadContent /><style>{${JSON.stringify(css)}}</style></head>
    <body><div className="page"><nav><ul>{items}</ul></nav><main><Outlet /></main></div><Scripts /></body></html>
}\n`,
      'src/routes/$.jsx': `import { createFileRoute, notFound } from '@tanstack/react-router'
import { marked } from 'marked'
import { More, Tabs, Theme } from '../controls.jsx'
const loader = async ({ params }) => {
  const found = (await import('../docs.js')).docs.find(({ href }) => href === '/' + (params._splat ?? '').replace(/\\/$/, ''))
  if (!found) throw notFound()
  return { title: found.title, html: marked.parse(found.text) }
}
export const Route = createFileRoute('/$')({ loader, component: Page, head: ({ loaderData }) => ({ meta: [{ title: loaderData?.title }] }) })
function Page() {
  const { title, html } = Route.useLoaderData()
  return <>${reactBody}</>
}\n`,
    }),
  },
  {
    name: 'qwik-city',
    description: 'Qwik City 1, static site generation: resumed pages, and q-data.json for a click on a link',
    npm: {
      ...{ ...marked, '@builder.io/qwik': '1.20.1', '@builder.io/qwik-city': '1.20.1' },
      ...{ vite: '7.1.10', typescript: '5.9.3' },
    },
    build: 'vite build && vite build -c adapters/static/vite.config.ts',
    out: 'dist',
    link: inFolders,
    hydrated: `document.documentElement.getAttribute('q:container') === 'resumed'`,
    files: documents => ({
      'tsconfig.json':
        '{"compilerOptions":{"jsx":"react-jsx","jsxImportSource":"@builder.io/qwik","module":"esnext","moduleResolution":"bundler","allowJs":true}}',
      'vite.config.ts': `import { qwikCity } from '@builder.io/qwik-city/vite'
import { qwikVite } from '@builder.io/qwik/optimizer'
import { defineConfig } from 'vite'
export default defineConfig(() => ({ plugins: [qwikCity(), qwikVite()] }))\n`,
      'adapters/static/vite.config.ts': `import { staticAdapter } from '@builder.io/qwik-city/adapters/static/vite'
import { extendConfig } from '@builder.io/qwik-city/vite'
import base from '../../vite.config'
export default extendConfig(base, () => ({
  build: { ssr: true, rollupOptions: { input: ['@qwik-city-plan'] } },
  plugins: [staticAdapter({ origin: 'https://docs.example.com' })],
}))\n`,
      'src/docs.js': asModule(documents),
      'src/entry.ssr.tsx': `import { renderToStream } from '@builder.io/qwik/server'
import Root from './root'
export default opts => renderToStream(<Root />, { ...opts, containerAttributes: { lang: 'en', ...opts.containerAttributes } })\n`,
      'src/root.tsx': `import { component$ } from '@builder.io/qwik'
import { QwikCityProvider, RouterOutlet } from '@builder.io/qwik-city'
export default component$(() => <QwikCityProvider><head><meta charset="utf-8" /><title>Docs</title><style dangerouslySetInnerHTML={${JSON.stringify(css)}} /></head>
<body lang="en"><RouterOutlet /></body></QwikCityProvider>)\n`,
      'src/routes/layout.tsx': `import { component$, Slot, useSignal } from '@builder.io/qwik'
import { Link, routeLoader$ } from '@builder.io/qwik-city'
import { docs } from '../docs.js'
export const useMenu = routeLoader$(() => docs.map(({ href, title }) => ({ href: (href + '/').replace('//', '/'), title })))
export default component$(() => {
  const menu = useMenu(), dark = useSignal(false), tab = useSignal('npm')
  return <div class="page"><nav><ul>{menu.value.map(({ href, title }) => <li key={href}><Link href={href}>{title}</Link></li>)}</ul></nav>
    <main><button aria-label="Change the theme" onClick$={() => { dark.value = !dark.value; document.documentElement.classList.toggle('dark') }}>Theme</button>
    <div role="tablist">{['npm', 'yarn'].map(name => <button key={name} role="tab" aria-selected={tab.value === name ? 'true' : 'false'} onClick$={() => { tab.value = name }}>{name}</button>)}</div>
    <div role="tabpanel">{tab.value === 'npm' ? 'Install it with npm install.' : 'Add it with yarn add.'}</div><Slot /></main></div>
})\n`,
      'src/routes/[...slug]/index.tsx': `import { component$ } from '@builder.io/qwik'
import { routeLoader$ } from '@builder.io/qwik-city'
import { marked } from 'marked'
import { docs } from '../../docs.js'
export const usePage = routeLoader$(({ params }) => {
  const found = docs.find(({ href }) => href === '/' + params.slug.replace(/\\/$/, ''))
  return { title: found?.title ?? '', html: found ? marked.parse(found.text) : '' }
})
export const onStaticGenerate = () => ({ params: docs.map(({ href }) => ({ slug: href.slice(1) })) })
export default component$(() => { const page = usePage(); return <><h1>{page.value.title}</h1><div dangerouslySetInnerHTML={page.value.html} /></> })\n`,
    }),
  },
  {
    name: 'angular',
    description: 'Angular 22, prerendered with hydration',
    npm: {
      ...Object.fromEntries(
        'common compiler core platform-browser platform-server router ssr cli build compiler-cli'
          .split(' ')
          .map(name => [`@angular/${name}`, '22.2.0']),
      ),
      ...{ ...marked, rxjs: '7.8.2', tslib: '2.8.1', typescript: '6.0.3' },
    },
    build: 'ng build',
    env: { NG_CLI_ANALYTICS: 'false' },
    out: 'dist/docs/browser',
    link: bare,
    files: documents => ({
      'angular.json':
        '{"version":1,"projects":{"docs":{"projectType":"application","root":"","sourceRoot":"src","architect":{"build":{"builder":"@angular/build:application","options":{"outputPath":"dist/docs","browser":"src/main.ts","server":"src/main.server.ts","index":"src/index.html","tsConfig":"tsconfig.json","styles":["src/styles.css"],"outputMode":"static","budgets":[]}}}}}}',
      'tsconfig.json':
        '{"compilerOptions":{"target":"ES2022","module":"preserve","moduleResolution":"bundler","experimentalDecorators":true,"skipLibCheck":true,"allowJs":true},"files":["src/main.ts","src/main.server.ts"]}',
      'src/styles.css': css,
      'src/index.html':
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Docs</title><base href="/"></head><body><app-root></app-root></body></html>\n',
      'src/docs.js': asModule(documents),
      'src/app.ts': `import { Component, inject, signal } from '@angular/core'
import { ActivatedRoute, provideRouter, RouterLink, RouterOutlet } from '@angular/router'
import { provideClientHydration, DomSanitizer } from '@angular/platform-browser'
import { marked } from 'marked'
import { docs } from './docs.js'
@Component({ selector: 'app-page', template: '<h1>{{ doc.title }}</h1><div [innerHTML]="html"></div>' })
export class Page {
  doc = inject(ActivatedRoute).snapshot.data['doc']
  html = inject(DomSanitizer).bypassSecurityTrustHtml(marked.parse(this.doc.text) as string)
}
@Component({ selector: 'app-root', imports: [RouterOutlet, RouterLink], template: \`<div class="page"><nav><ul>
@for (doc of docs; track doc.href) { <li><a [routerLink]="doc.href">{{ doc.title }}</a></li> }</ul></nav><main>
<button aria-label="Change the theme" (click)="press()">Theme</button>
<div role="tablist">@for (name of ['npm', 'yarn']; track name) { <button role="tab" [attr.aria-selected]="tab() === name" (click)="tab.set(name)">{{ name }}</button> }</div>
<div role="tabpanel">{{ tab() === 'npm' ? 'Install it with npm install.' : 'Add it with yarn add.' }}</div><router-outlet /></main></div>\` })
export class App { docs = docs; tab = signal('npm'); press() { document.documentElement.classList.toggle('dark') } }
const routes = docs.map(doc => ({ path: doc.href.slice(1), component: Page, data: { doc } }))
export const config = { providers: [provideRouter(routes), provideClientHydration()] }\n`,
      'src/main.ts': `import { bootstrapApplication } from '@angular/platform-browser'\nimport { App, config } from './app'\nbootstrapApplication(App, config)\n`,
      'src/main.server.ts': `import { bootstrapApplication } from '@angular/platform-browser'
import { provideServerRendering, RenderMode, withRoutes } from '@angular/ssr'
import { App, config } from './app'
const server = provideServerRendering(withRoutes([{ path: '**', renderMode: RenderMode.Prerender }]))
export default (context: any) => bootstrapApplication(App, { providers: [...config.providers, server] }, context)\n`,
    }),
  },
]
