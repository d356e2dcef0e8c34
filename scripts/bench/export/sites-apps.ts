import { addressOf, type Document, toFiles, withFrontMatter, withHeading, withKnownLanguages } from './documents.ts'
import type { Site } from './site.ts'

// A long file: a table of the sites of application frameworks, a row of settings and templates each.

const inFolders = (slug: string) => addressOf(slug, '/', '/')
const asHtml = (slug: string) => addressOf(slug, '/', '.html')
const bare = (slug: string) => addressOf(slug)
const asReadme = (documents: readonly Document[]) =>
  documents.map(each => ({ ...each, slug: each.slug.replace(/(^|\/)index$/, '$1README') }))
const withBoth = (document: Document) => withFrontMatter({ ...document, body: withHeading(document) })
/** Stops Vue from evaluating braces. */
const forVue = (document: Document) =>
  withFrontMatter({ ...document, body: `# ${document.title}\n\n::: v-pre\n\n${document.body}\n\n:::` })

const columns = 'display: grid; grid-template-columns: 16rem 1fr'
const react = { react: '19.3.1', 'react-dom': '19.3.1' }
const vite = { vite: '7.1.10' }
const pressTheme = `onClick={() => setDark(!dark)}`

/** Next.js with server components. Its own server streams them, or they are exported as files. */
function nextra(name: string, isStatic: boolean): Site {
  const settings = isStatic ? `output: 'export', images: { unoptimized: true }` : ''
  const pagefind = isStatic
    ? 'pagefind --site out --output-path out/_pagefind'
    : 'pagefind --site .next/server/app --output-path public/_pagefind'
  return {
    name,
    description: `Nextra 4 on Next.js 16, ${isStatic ? 'output: export' : 'next start'}`,
    npm: {
      ...react,
      next: '16.4.6',
      nextra: '4.6.1',
      'nextra-theme-docs': '4.6.1',
      pagefind: '1.6.0',
      typescript: '5.9.3',
    },
    // A later one refuses the children of the layout.
    overrides: { zod: '4.1.12' },
    // The server build by Turbopack takes over 15 minutes on 2 cores.
    build: `next build${isStatic ? '' : ' --webpack'} && ${pagefind}`,
    ...(isStatic ? {} : { serve: ['node_modules/next/dist/bin/next', 'start', '-H', '127.0.0.1', '-p', 'PORT'] }),
    link: bare,
    files: documents => ({
      'next.config.mjs': `import nextra from 'nextra'\nexport default nextra({})({ ${settings} })\n`,
      'app/layout.jsx': `import { Layout, Navbar } from 'nextra-theme-docs'
import { Head } from 'nextra/components'
import { getPageMap } from 'nextra/page-map'
import 'nextra-theme-docs/style.css'
export const metadata = { title: { default: 'Docs', template: '%s - Docs' } }
export default async function RootLayout({ children }) {
  const page = <Layout navbar={<Navbar logo={<b>Docs</b>} />} pageMap={await getPageMap()}>{children}</Layout>
  return <html lang="en" dir="ltr" suppressHydrationWarning><Head /><body>{page}</body></html>
}\n`,
      'app/[[...mdxPath]]/page.jsx': `import { generateStaticParamsFor, importPage } from 'nextra/pages'
import { useMDXComponents } from '../../mdx-components'
export const generateStaticParams = generateStaticParamsFor('mdxPath')
export const generateMetadata = async props => (await importPage((await props.params).mdxPath)).metadata
const Wrapper = useMDXComponents().wrapper
export default async function Page(props) {
  const params = await props.params
  const { default: Content, toc, metadata, sourceCode } = await importPage(params.mdxPath)
  return <Wrapper toc={toc} metadata={metadata} sourceCode={sourceCode}><Content {...props} params={params} /></Wrapper>
}\n`,
      'mdx-components.js': `import { useMDXComponents as getComponents } from 'nextra-theme-docs'
export const useMDXComponents = components => ({ ...getComponents(), ...components })\n`,
      ...toFiles(documents, 'content/*.md', withBoth),
    }),
    search: {
      path: '/guides/testing',
      field: '.nextra-search input',
      hits: '.nextra-search-results [role=option], .nextra-search-results a',
    },
  }
}

/** Sites whose pages are taken over by a framework, or made by scripts. */
export const appSites: readonly Site[] = [
  {
    name: 'docsify',
    description: 'docsify 5, history router: empty HTML, and soft 404s',
    isApp: true,
    npm: { docsify: '5.0.0' },
    build: 'cp node_modules/docsify/dist/docsify.min.js node_modules/docsify/dist/themes/core.min.css out/',
    link: slug => (slug === 'index' ? '/' : `/${slug}`),
    files: documents => ({
      'out/index.html': `<!DOCTYPE html><html lang="en"><head><meta charset="UTF-8"><title>Docs</title>
<link rel="stylesheet" href="/core.min.css"></head><body><div id="app">Loading...</div>
<script>window.$docsify = { name: 'Docs', loadSidebar: true, alias: { '/.*/_sidebar.md': '/_sidebar.md' }, routerMode: 'history' }</script>
<script src="/docsify.min.js"></script></body></html>\n`,
      'out/_sidebar.md': documents
        .map(({ slug, title }) => `- [${title}](${slug === 'index' ? '/' : `/${slug}`})\n`)
        .join(''),
      ...toFiles(documents, 'out/*.md', withHeading),
      ...toFiles(
        documents.filter(({ slug }) => slug === 'index'),
        'out/README.md',
        withHeading,
      ),
    }),
  },
  {
    name: 'vitepress',
    description: 'VitePress 1.6, default theme, local search',
    npm: { vitepress: '1.6.4' },
    build: 'vitepress build docs',
    out: 'docs/.vitepress/dist',
    link: asHtml,
    files(all) {
      // Two headings of this page have the same given id, which the local search refuses.
      const documents = all.filter(({ slug }) => slug !== 'reference/typescript')
      const sidebar = documents.map(({ slug, title }) => ({ text: title, link: asHtml(slug) }))
      const theme = { search: { provider: 'local' }, sidebar }
      // Raw HTML in these documents is not a Vue template.
      const config = { title: 'Docs', ignoreDeadLinks: true, markdown: { html: false }, themeConfig: theme }
      const file = `export default ${JSON.stringify(config, undefined, 1)}\n`
      return { 'docs/.vitepress/config.mjs': file, ...toFiles(documents, 'docs/*.md', forVue) }
    },
    hydrated: `document.querySelector('#app')?.__vue_app__ !== undefined`,
    themeToggle: '.VPNavBarAppearance button.VPSwitchAppearance',
    search: {
      path: '/guides/testing.html',
      opener: '.VPNavBarSearch button',
      field: '#localsearch-input',
      hits: '.VPLocalSearchBox .results a.result',
    },
  },
  {
    name: 'vuepress',
    description: 'VuePress 2.0.0-rc.31, default theme, search plugin',
    npm: {
      vuepress: '2.0.0-rc.31',
      '@vuepress/bundler-vite': '2.0.0-rc.31',
      '@vuepress/theme-default': '2.0.0-rc.130',
      '@vuepress/plugin-search': '2.0.0-rc.130',
      'sass-embedded': '1.108.2',
      vue: '3.5.22',
    },
    build: 'vuepress build docs',
    out: 'docs/.vuepress/dist',
    link: asHtml,
    files(documents) {
      const sidebar = documents.map(({ slug, title }) => ({ text: title, link: asHtml(slug) }))
      const config = `import { viteBundler } from '@vuepress/bundler-vite'
import { defaultTheme } from '@vuepress/theme-default'
import { searchPlugin } from '@vuepress/plugin-search'
const theme = defaultTheme({ sidebar: ${JSON.stringify(sidebar)}, contributors: false, lastUpdated: false })
export default { title: 'Docs', bundler: viteBundler(), theme, plugins: [searchPlugin()], markdown: { code: { vPre: true } } }\n`
      return { 'docs/.vuepress/config.js': config, ...toFiles(asReadme(documents), 'docs/*.md', forVue) }
    },
    search: {
      path: '/guides/testing.html',
      field: '.search-box input',
      hits: '.search-box .suggestions li',
    },
  },
  {
    name: 'docusaurus',
    description: 'Docusaurus 3.10.2 with baseUrl, two versions, two languages and local search',
    prefix: '/project/manual/',
    start: '/project/manual/',
    npm: {
      ...{
        '@docusaurus/core': '3.10.2',
        '@docusaurus/preset-classic': '3.10.2',
        react: '19.2.0',
        'react-dom': '19.2.0',
      },
      '@easyops-cn/docusaurus-search-local': '0.55.3',
    },
    overrides: { '@docsearch/core': '4.6.3', '@docsearch/react': '4.6.3', '@docsearch/css': '4.6.3' },
    // Its bundles mix modules and require.
    type: null,
    build: 'docusaurus build',
    out: 'build',
    link: (slug, from) => `/${slug}`.replace(/\/index$/, '/') || from,
    files(documents) {
      const some = documents.filter(({ slug }) => !slug.startsWith('reference/'))
      const write = (mark: string) => (each: Document) =>
        withFrontMatter({ ...each, title: mark + each.title }, each.slug === 'index' ? { slug: '/' } : {})
      const translated = 'i18n/de/docusaurus-plugin-content-docs'
      return {
        'docusaurus.config.js': `const bar = [{ type: 'docsVersionDropdown', position: 'right' }, { type: 'localeDropdown', position: 'right' }]
export default {
  title: 'Docs', url: 'https://docs.example.com', baseUrl: '/project/manual/', onBrokenLinks: 'ignore', onBrokenAnchors: 'ignore',
  markdown: { format: 'detect', hooks: { onBrokenMarkdownLinks: 'ignore' } },
  i18n: { defaultLocale: 'en', locales: ['en', 'de'] },
  presets: [['@docusaurus/preset-classic', { docs: { routeBasePath: '/', sidebarPath: './sidebars.js' }, blog: false }]],
  themes: [['@easyops-cn/docusaurus-search-local', { hashed: true, docsRouteBasePath: '/', indexBlog: false, language: ['en', 'de'] }]],
  themeConfig: { navbar: { title: 'Docs', items: bar } },
}\n`,
        'sidebars.js': `export default { docs: [{ type: 'autogenerated', dirName: '.' }] }\n`,
        'versions.json': '["1.0"]',
        'versioned_sidebars/version-1.0-sidebars.json': '{"docs":[{"type":"autogenerated","dirName":"."}]}',
        'docs/tabs.mdx': `---\ntitle: Tabs\n---
import Tabs from '@theme/Tabs'
import TabItem from '@theme/TabItem'\n
<Tabs><TabItem value="npm">Install with npm here.</TabItem><TabItem value="yarn">Install with yarn here.</TabItem></Tabs>\n
<Tabs lazy><TabItem value="linux">The panel for Linux.</TabItem><TabItem value="windows">The panel for Windows.</TabItem></Tabs>\n`,
        ...toFiles(some, 'docs/*.md', write('')),
        ...toFiles(some, 'versioned_docs/version-1.0/*.md', write('Old: ')),
        ...toFiles(some, `${translated}/current/*.md`, write('Neu: ')),
        ...toFiles(some, `${translated}/version-1.0/*.md`, write('Alt: ')),
      }
    },
    hydrated: `document.documentElement.dataset.hasHydrated === 'true'`,
    themeToggle: 'button[class*=toggleButton]',
    search: {
      path: '/project/manual/guides/testing',
      opener: 'input.navbar__search-input',
      field: 'input.navbar__search-input',
      hits: '[class*=dropdownMenu] [class*=suggestion]',
    },
  },
  {
    name: 'astro',
    description: 'Astro 7 with view transitions and React islands',
    npm: { ...react, astro: '7.3.5', '@astrojs/react': '6.0.1' },
    build: 'astro build',
    out: 'dist',
    link: inFolders,
    files: documents => ({
      'astro.config.mjs': `import react from '@astrojs/react'\nexport default { integrations: [react()] }\n`,
      'src/content.config.js': `import { defineCollection } from 'astro:content'
import { glob } from 'astro/loaders'
export const collections = { docs: defineCollection({ loader: glob({ pattern: '**/*.md', base: './docs' }) }) }\n`,
      'src/Counter.jsx': `import { useState } from 'react'
export default function Counter() {
  const [count, setCount] = useState(0)
  return <button onClick={() => setCount(count + 1)}>Useful: {count}</button>
}\n`,
      'src/pages/[...slug].astro': `---
import { ClientRouter } from 'astro:transitions'
import { getCollection, render } from 'astro:content'
import Counter from '../Counter.jsx'
export async function getStaticPaths() {
  const pages = (await getCollection('docs')).sort((a, b) => (a.id < b.id ? -1 : 1))
  return pages.map(page => ({ params: { slug: page.id === 'index' ? undefined : page.id }, props: { page, pages } }))
}
const { page, pages } = Astro.props
const { Content } = await render(page)
const address = id => '/' + (id === 'index' ? '' : id + '/')
---
<html lang="en"><head><meta charset="utf-8" /><title>{page.data.title}</title><ClientRouter />
<style is:global>body { ${columns} } html.dark body { background: #111; color: #eee }</style></head>
<body><nav transition:persist><ul>{pages.map(each => <li><a href={address(each.id)}>{each.data.title}</a></li>)}</ul></nav>
<main><button id="theme" aria-label="Change the theme">Theme</button><Counter client:load /><h1>{page.data.title}</h1><Content /></main>
<script>
  const listen = () => document.querySelector('#theme')?.addEventListener('click', () => document.documentElement.classList.toggle('dark'))
  document.addEventListener('astro:page-load', listen)
</script></body></html>\n`,
      ...toFiles(documents, 'docs/*.md'),
    }),
  },
  nextra('nextra-start', false),
  nextra('nextra-export', true),
  {
    name: 'gatsby',
    description: 'Gatsby 5, hydrated React whose pages load their data from JSON files',
    npm: {
      // Its plugins find the ajv of another package without this.
      ajv: '8.20.0',
      gatsby: '5.16.1',
      ...{
        'gatsby-source-filesystem': '5.16.0',
        'gatsby-transformer-remark': '6.16.0',
        react: '18.3.1',
        'react-dom': '18.3.1',
      },
    },
    type: 'commonjs',
    build: 'gatsby build',
    env: { GATSBY_TELEMETRY_DISABLED: '1' },
    out: 'public',
    link: inFolders,
    files: documents => ({
      'gatsby-config.js': `const files = { resolve: 'gatsby-source-filesystem', options: { path: __dirname + '/docs' } }
module.exports = { plugins: [files, 'gatsby-transformer-remark'] }\n`,
      'gatsby-node.js': `const component = require('path').resolve('src/document.js')
exports.createPages = async ({ graphql, actions }) => {
  const { data } = await graphql('{ allMarkdownRemark { nodes { id frontmatter { address } } } }')
  for (const { id, frontmatter } of data.allMarkdownRemark.nodes) actions.createPage({ path: frontmatter.address, component, context: { id } })
}\n`,
      'src/document.js': `import * as React from 'react'
import { graphql, Link } from 'gatsby'
export default function Document({ data }) {
  const [dark, setDark] = React.useState(false)
  React.useEffect(() => { document.body.style.background = dark ? '#111' : '' }, [dark])
  const items = data.all.nodes.map(({ frontmatter: { title, address } }) => <li key={address}><Link to={address}>{title}</Link></li>)
  return <div style={{ display: 'grid', gridTemplateColumns: '16rem 1fr' }}>
    <nav><button aria-label="Change the theme" ${pressTheme}>Theme</button><ul>{items}</ul></nav>
    <main><h1>{data.markdownRemark.frontmatter.title}</h1><div dangerouslySetInnerHTML={{ __html: data.markdownRemark.html }} /></main>
  </div>
}
export const query = graphql\`query ($id: String) {
  markdownRemark(id: { eq: $id }) { html frontmatter { title } }
  all: allMarkdownRemark(sort: { frontmatter: { address: ASC } }) { nodes { frontmatter { title address } } }
}\`\n`,
      ...toFiles(documents, 'docs/*.md', each => withFrontMatter(each, { address: inFolders(each.slug) })),
    }),
  },
  {
    name: 'sveltekit',
    description: 'SvelteKit 2, adapter-static: a click on a link loads the data of the next page',
    npm: {
      ...{
        ...vite,
        '@sveltejs/kit': '2.47.0',
        '@sveltejs/adapter-static': '3.0.10',
        '@sveltejs/vite-plugin-svelte': '6.2.1',
      },
      ...{ svelte: '5.40.1', marked: '18.2.1' },
    },
    build: 'vite build',
    out: 'build',
    link: bare,
    files: documents => ({
      'vite.config.js': `import { sveltekit } from '@sveltejs/kit/vite'\nexport default { plugins: [sveltekit()] }\n`,
      'svelte.config.js': `import adapter from '@sveltejs/adapter-static'
export default { kit: { adapter: adapter(), prerender: { handleMissingId: 'ignore', handleHttpError: 'ignore' } } }\n`,
      'src/app.html': `<!doctype html><html lang="en"><head><meta charset="utf-8">%sveltekit.head%</head>
<body data-sveltekit-preload-data="hover"><div style="display: contents">%sveltekit.body%</div></body></html>\n`,
      'src/lib/documents.js': `const files = import.meta.glob('../docs/**/*.md', { query: '?raw', import: 'default', eager: true })
export const documents = Object.entries(files).map(([path, text]) => {
  const slug = path.replace('../docs/', '').replace('.md', '')
  return { slug, title: text.split('\\n')[0].slice(2), text, href: '/' + slug.replace(/(^|\\/)index$/, '') }
})\n`,
      'src/routes/+layout.js': 'export const prerender = true\n',
      'src/routes/+layout.server.js': `import { documents } from '$lib/documents.js'
export const load = () => ({ pages: documents.map(({ title, href }) => ({ title, href })) })\n`,
      'src/routes/+layout.svelte': `<script>let { data, children } = $props(); let dark = $state(false)</script>
<svelte:head><title>{data.title ?? 'Docs'}</title></svelte:head>
<div class:dark style="${columns}"><nav>
<button aria-label="Change the theme" onclick={() => { dark = !dark; document.body.style.background = dark ? '#111' : '' }}>Theme</button>
<ul>{#each data.pages as { title, href }}<li><a {href}>{title}</a></li>{/each}</ul></nav><main>{@render children()}</main></div>\n`,
      'src/routes/[...slug]/+page.server.js': `import { documents } from '$lib/documents.js'
import { error } from '@sveltejs/kit'
import { marked } from 'marked'
export const entries = () => documents.map(({ href }) => ({ slug: href.slice(1) }))
export function load({ params }) {
  const found = documents.find(({ href }) => href.replace(/\\/$/, '') === ('/' + params.slug).replace(/\\/$/, ''))
  return found ? { title: found.title, html: marked.parse(found.text) } : error(404)
}\n`,
      'src/routes/[...slug]/+page.svelte': '<script>let { data } = $props()</script>\n{@html data.html}\n',
      ...toFiles(documents, 'src/docs/*.md', withHeading),
    }),
  },
  {
    name: 'nuxt-content',
    description: 'Nuxt 4 with Nuxt Content 3, nuxt generate',
    npm: { nuxt: '4.5.2', '@nuxt/content': '3.16.1', vue: '3.5.22', 'vue-router': '4.6.3' },
    build: 'nuxt generate',
    env: { NUXT_TELEMETRY_DISABLED: '1' },
    out: '.output/public',
    link: slug => addressOf(slug).replace(/(.)\/$/, '$1'),
    files: documents => ({
      'nuxt.config.ts': `const content = { experimental: { sqliteConnector: 'native' } }
export default defineNuxtConfig({ modules: ['@nuxt/content'], compatibilityDate: '2025-10-01', content })\n`,
      'content.config.ts': `import { defineCollection, defineContentConfig } from '@nuxt/content'
export default defineContentConfig({ collections: { docs: defineCollection({ type: 'page', source: '**/*.md' }) } })\n`,
      'app/app.vue': `<script setup>
const { data: pages } = await useAsyncData('pages', () => queryCollection('docs').select('title', 'path').all())
</script>
<template><div style="${columns}">
<nav><ul><li v-for="page in pages" :key="page.path"><NuxtLink :to="page.path">{{ page.title }}</NuxtLink></li></ul></nav>
<main><NuxtPage /></main></div></template>\n`,
      'app/pages/[...slug].vue': `<script setup>
const route = useRoute()
const { data: page } = await useAsyncData(route.path, () => queryCollection('docs').path(route.path.replace(/(.)\\/$/, '$1')).first())
</script>
<template><div><h1>{{ page?.title }}</h1><ContentRenderer v-if="page" :value="page" /></div></template>\n`,
      ...toFiles(documents, 'content/*.md'),
    }),
  },
  {
    name: 'rspress',
    description: 'Rspress 2, default theme and search',
    npm: { ...react, '@rspress/core': '2.0.22' },
    build: 'rspress build',
    out: 'doc_build',
    link: bare,
    files(documents) {
      const sidebar = { '/': documents.map(({ slug, title }) => ({ text: title, link: addressOf(slug) })) }
      const markdown = { link: { checkDeadLinks: false } }
      const config = { root: 'docs', title: 'Docs', markdown, themeConfig: { sidebar } }
      const file = `import { defineConfig } from '@rspress/core'\nexport default defineConfig(${JSON.stringify(config)})\n`
      return {
        'rspress.config.ts': file,
        ...toFiles(documents, 'docs/*.md', each => withKnownLanguages(withBoth(each))),
      }
    },
    search: {
      path: '/guides/testing.html',
      opener: '[class*=navSearchButton], .rspress-nav-search-button, .rp-search-button',
      field: 'input[class*=nput]',
      hits: '[class*=suggestItem], .rspress-search-suggest-item, .rp-search-panel li',
    },
  },
]
