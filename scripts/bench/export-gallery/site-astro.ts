import { builtSite, toFiles } from './built-site.ts'
import { addressOf, readDocuments, withFrontMatter } from './documents.ts'
import type { GallerySite } from './site.ts'

const layout = `---
import { ClientRouter } from 'astro:transitions'
import { getCollection } from 'astro:content'
import Counter from './Counter.jsx'
const { title } = Astro.props
const pages = (await getCollection('docs')).sort((a, b) => (a.id < b.id ? -1 : 1))
---
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>{title}</title>
    <ClientRouter />
    <style is:global>
      body { display: grid; grid-template-columns: 16rem 1fr; font-family: sans-serif; margin: 0 }
      html.dark body { background: #111; color: #eee }
    </style>
  </head>
  <body>
    <nav transition:persist><ul>{pages.map(page => <li><a href={'/' + (page.id === 'index' ? '' : page.id + '/')}>{page.data.title}</a></li>)}</ul></nav>
    <main>
      <button id="theme" aria-label="Change the theme">Theme</button>
      <Counter client:load />
      <h1>{title}</h1>
      <slot />
    </main>
    <script>
      const listen = () => document.querySelector('#theme')?.addEventListener('click', () => document.documentElement.classList.toggle('dark'))
      document.addEventListener('astro:page-load', listen)
    </script>
  </body>
</html>
`

const page = `---
import { getCollection, render } from 'astro:content'
import Layout from '../Layout.astro'
export async function getStaticPaths() {
  const pages = await getCollection('docs')
  return pages.map(page => ({ params: { slug: page.id === 'index' ? undefined : page.id }, props: { page } }))
}
const { page } = Astro.props
const { Content } = await render(page)
---
<Layout title={page.data.title}><Content /></Layout>
`

/** Astro with view transitions and a React island; the docs theme of Astro is another site. */
export const astroSite: GallerySite = builtSite({
  name: 'astro',
  description: 'Astro 7 with view transitions and React islands',
  async project(cacheFolder) {
    const documents = await readDocuments(cacheFolder, slug => addressOf(slug, '/', '/'))
    return {
      dependencies: { astro: '7.3.5', '@astrojs/react': '6.0.1', react: '19.3.1', 'react-dom': '19.3.1' },
      build: 'astro build',
      files: {
        'astro.config.mjs': `import react from '@astrojs/react'\nexport default { integrations: [react()] }\n`,
        'src/content.config.js': `import { defineCollection } from 'astro:content'
import { glob } from 'astro/loaders'
export const collections = { docs: defineCollection({ loader: glob({ pattern: '**/*.md', base: './docs' }) }) }
`,
        'src/Counter.jsx': `import { useState } from 'react'
export default function Counter() {
  const [count, setCount] = useState(0)
  return <button onClick={() => setCount(count + 1)}>Useful: {count}</button>
}
`,
        'src/Layout.astro': layout,
        'src/pages/[...slug].astro': page,
        ...toFiles(documents, ({ slug }) => `docs/${slug}.md`, withFrontMatter),
      },
    }
  },
  out: 'dist',
})
