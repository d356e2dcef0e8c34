// Writes small sites of documentation for frameworks, to be built and visited by capture.ts. Each has a sidebar with 24 links.
//
//   node test/analytics/frameworks/make-sites.ts FOLDER
//   cd FOLDER/next && npm install && npm run build
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export const slugs = Array.from({ length: 24 }, (_, i) => `page-${i + 1}`)

const list = JSON.stringify(slugs)
const text = (slug: string) => `This is the text of ${slug}. `.repeat(40)

function markdownPages(folder: string, extension: string): Record<string, string> {
  return Object.fromEntries(slugs.map(slug => [`${folder}/${slug}.${extension}`, `# ${slug}\n\n${text(slug)}\n`]))
}

interface FrameworkSite {
  scripts: Record<string, string>
  packages: Record<string, string>
  /** Docusaurus generates files with `import` and with `require`, which webpack refuses if the package has a type. */
  isMixed?: true
  files: Record<string, string>
}

const sites: Record<string, FrameworkSite> = {
  next: {
    scripts: { build: 'next build', start: 'next start' },
    packages: { next: '16', react: '19', 'react-dom': '19' },
    files: {
      'app/layout.jsx': `import Link from 'next/link'
export const metadata = { title: 'Docs' }
export default function Layout({ children }) {
  return <html lang="en"><body><nav>{${list}.map(slug => <p key={slug}><Link href={'/docs/' + slug}>{slug}</Link></p>)}</nav><main>{children}</main></body></html>
}
`,
      'app/page.jsx': `export default function Home() { return <h1>Home</h1> }\n`,
      'app/docs/[slug]/page.jsx': `export const generateStaticParams = () => ${list}.map(slug => ({ slug }))
export default async function Page({ params }) {
  const { slug } = await params
  return <><h1>{slug}</h1><p>{('This is the text of ' + slug + '. ').repeat(40)}</p></>
}
`,
    },
  },
  'react-router': {
    scripts: { build: 'react-router build', start: 'react-router-serve build/server/index.js' },
    packages: {
      '@react-router/dev': '7.18.4',
      '@react-router/node': '7.18.4',
      '@react-router/serve': '7.18.4',
      'react-router': '7.18.4',
      isbot: '5',
      react: '19',
      'react-dom': '19',
      vite: '7',
      typescript: '5',
    },
    files: {
      'vite.config.js': `import { reactRouter } from '@react-router/dev/vite'
export default { plugins: [reactRouter()] }
`,
      'react-router.config.js': 'export default { ssr: true }\n',
      'app/routes.js': `import { index, route } from '@react-router/dev/routes'
export default [index('home.jsx'), route('docs/:slug', 'doc.jsx')]
`,
      'app/root.jsx': `import { Link, Links, Meta, Outlet, Scripts } from 'react-router'
export default function Root() {
  return <html lang="en"><head><Meta /><Links /></head><body><nav>{${list}.map(slug => <p key={slug}><Link prefetch="intent" to={'/docs/' + slug}>{slug}</Link></p>)}</nav><main><Outlet /></main><Scripts /></body></html>
}
`,
      'app/home.jsx': 'export default function Home() { return <h1>Home</h1> }\n',
      'app/doc.jsx': `export const loader = ({ params }) => ({ slug: params.slug, text: ('This is the text of ' + params.slug + '. ').repeat(40) })
export default function Doc({ loaderData }) { return <><h1>{loaderData.slug}</h1><p>{loaderData.text}</p></> }
`,
    },
  },
  sveltekit: {
    scripts: { build: 'vite build', start: 'node build' },
    packages: {
      '@sveltejs/adapter-node': '5',
      '@sveltejs/kit': '2',
      '@sveltejs/vite-plugin-svelte': '6',
      svelte: '5',
      vite: '7',
    },
    files: {
      'vite.config.js': `import { sveltekit } from '@sveltejs/kit/vite'
export default { plugins: [sveltekit()] }
`,
      'svelte.config.js': `import adapter from '@sveltejs/adapter-node'
export default { kit: { adapter: adapter() } }
`,
      'src/app.html': `<!doctype html>
<html lang="en"><head><meta charset="utf-8">%sveltekit.head%</head><body data-sveltekit-preload-data="hover"><div style="display: contents">%sveltekit.body%</div></body></html>
`,
      'src/routes/+layout.svelte': `<script>let { children } = $props()</script>
<nav>{#each ${list} as slug}<p><a href="/docs/{slug}">{slug}</a></p>{/each}</nav>
<main>{@render children()}</main>
`,
      'src/routes/+page.svelte': '<h1>Home</h1>\n',
      'src/routes/docs/[slug]/+page.server.js': `export const load = ({ params }) => ({ slug: params.slug, text: ('This is the text of ' + params.slug + '. ').repeat(40) })
`,
      'src/routes/docs/[slug]/+page.svelte': `<script>let { data } = $props()</script>
<h1>{data.slug}</h1><p>{data.text}</p>
`,
    },
  },
  vitepress: {
    scripts: { build: 'vitepress build' },
    packages: { vitepress: '1' },
    files: {
      '.vitepress/config.mjs': `export default { title: 'Docs', cleanUrls: true, themeConfig: { sidebar: ${list}.map(slug => ({ text: slug, link: '/docs/' + slug })) } }
`,
      'index.md': '# Home\n',
      ...markdownPages('docs', 'md'),
    },
  },
  nextra: {
    scripts: { build: 'next build', start: 'next start' },
    // The theme of Nextra 4.6.1 throws with Zod 4.4: https://github.com/shuding/nextra/issues/4989
    packages: { next: '16', nextra: '4', 'nextra-theme-docs': '4', react: '19', 'react-dom': '19', zod: '4.3.6' },
    files: {
      'next.config.mjs': `import nextra from 'nextra'
export default nextra({})({})
`,
      'mdx-components.js': `import { useMDXComponents as themeComponents } from 'nextra-theme-docs'
export const useMDXComponents = components => ({ ...themeComponents(), ...components })
`,
      'app/layout.jsx': `import { Layout, Navbar } from 'nextra-theme-docs'
import { getPageMap } from 'nextra/page-map'
import 'nextra-theme-docs/style.css'
export const metadata = { title: 'Docs' }
export default async function Root({ children }) {
  return <html lang="en" dir="ltr" suppressHydrationWarning><body><Layout navbar={<Navbar logo={<b>Docs</b>} />} pageMap={await getPageMap()} search={null}>{children}</Layout></body></html>
}
`,
      'app/[[...mdxPath]]/page.jsx': `import { generateStaticParamsFor, importPage } from 'nextra/pages'
import { useMDXComponents } from '../../mdx-components'
export const generateStaticParams = generateStaticParamsFor('mdxPath')
const { wrapper: Wrapper } = useMDXComponents()
export default async function Page(props) {
  const params = await props.params
  const { default: Content, ...page } = await importPage(params.mdxPath)
  return <Wrapper {...page}><Content {...props} params={params} /></Wrapper>
}
`,
      'content/index.mdx': '# Home\n',
      ...markdownPages('content/docs', 'mdx'),
    },
  },
  docusaurus: {
    isMixed: true,
    scripts: { build: 'docusaurus build' },
    packages: { '@docusaurus/core': '3', '@docusaurus/preset-classic': '3', react: '19', 'react-dom': '19' },
    files: {
      'docusaurus.config.js': `export default { title: 'Docs', url: 'https://docs.example.com', baseUrl: '/', presets: [['classic', { docs: { sidebarPath: './sidebars.js' }, blog: false }]] }
`,
      'src/pages/index.md': '# Home\n',
      'sidebars.js': `export default { docs: ${list} }\n`,
      ...markdownPages('docs', 'md'),
    },
  },
  astro: {
    scripts: { build: 'astro build' },
    packages: { astro: '5' },
    files: {
      'astro.config.mjs': `export default { prefetch: { prefetchAll: true, defaultStrategy: 'viewport' } }
`,
      'src/layouts/Layout.astro': `---
import { ClientRouter } from 'astro:transitions'
---
<html lang="en"><head><meta charset="utf-8"><title>Docs</title><ClientRouter /></head><body>
<nav>{${list}.map(slug => <p><a href={'/docs/' + slug}>{slug}</a></p>)}</nav><main><slot /></main></body></html>
`,
      'src/pages/index.astro': `---
import Layout from '../layouts/Layout.astro'
---
<Layout><h1>Home</h1></Layout>
`,
      'src/pages/docs/[slug].astro': `---
import Layout from '../../layouts/Layout.astro'
export const getStaticPaths = () => ${list}.map(slug => ({ params: { slug } }))
const { slug } = Astro.params
---
<Layout><h1>{slug}</h1><p>{('This is the text of ' + slug + '. ').repeat(40)}</p></Layout>
`,
    },
  },
  starlight: {
    scripts: { build: 'astro build' },
    packages: { astro: '5', '@astrojs/starlight': '0.37', sharp: '0.34' },
    files: {
      'astro.config.mjs': `import { defineConfig } from 'astro/config'
import starlight from '@astrojs/starlight'
export default defineConfig({ integrations: [starlight({ title: 'Docs', sidebar: ${list}.map(slug => 'docs/' + slug) })] })
`,
      'src/content.config.ts': `import { docsLoader } from '@astrojs/starlight/loaders'
import { docsSchema } from '@astrojs/starlight/schema'
import { defineCollection } from 'astro:content'
export const collections = { docs: defineCollection({ loader: docsLoader(), schema: docsSchema() }) }
`,
      'src/content/docs/index.md': '---\ntitle: Home\n---\nHome\n',
      ...Object.fromEntries(
        slugs.map(slug => [`src/content/docs/docs/${slug}.md`, `---\ntitle: ${slug}\n---\n\n${text(slug)}\n`]),
      ),
    },
  },
}

const [folder = '.'] = process.argv.slice(2)
for (const [name, { scripts, packages, isMixed, files }] of Object.entries(sites)) {
  const manifest = { name, private: true, type: isMixed ? undefined : 'module', scripts, dependencies: packages }
  for (const [path, content] of Object.entries({ 'package.json': JSON.stringify(manifest, null, 2), ...files })) {
    const file = join(folder, name, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
}
