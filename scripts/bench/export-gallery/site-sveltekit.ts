import { builtSite, toFiles } from './built-site.ts'
import { addressOf, readDocuments } from './documents.ts'
import type { GallerySite } from './site.ts'

const layout = `<script>
  import { page } from '$app/state'
  let { data, children } = $props()
  let dark = $state(false)
</script>
<svelte:head><title>{data.title ?? 'Docs'}</title></svelte:head>
<div class:dark>
  <nav>
    <button aria-label="Change the theme" onclick={() => { dark = !dark; document.body.style.background = dark ? '#111' : '' }}>Theme</button>
    <ul>{#each data.pages as { title, href }}<li><a {href} aria-current={page.url.pathname === href}>{title}</a></li>{/each}</ul>
  </nav>
  <main>{@render children()}</main>
</div>
<style>div { display: grid; grid-template-columns: 16rem 1fr }</style>
`

/** SvelteKit with prerendered pages; a click on a link loads the data of the next page. */
export const sveltekitSite: GallerySite = builtSite({
  name: 'sveltekit',
  description: 'SvelteKit 2, adapter-static, data from server load functions',
  async project(cacheFolder) {
    const documents = await readDocuments(cacheFolder, slug => addressOf(slug))
    return {
      dependencies: {
        '@sveltejs/kit': '2.47.0',
        '@sveltejs/adapter-static': '3.0.10',
        '@sveltejs/vite-plugin-svelte': '6.2.1',
        svelte: '5.40.1',
        vite: '7.1.10',
        marked: '18.2.1',
      },
      build: 'vite build',
      files: {
        'vite.config.js': `import { sveltekit } from '@sveltejs/kit/vite'\nexport default { plugins: [sveltekit()] }\n`,
        'svelte.config.js': `import adapter from '@sveltejs/adapter-static'
export default { kit: { adapter: adapter(), prerender: { handleMissingId: 'ignore', handleHttpError: 'ignore' } } }
`,
        'src/app.html':
          '<!doctype html><html lang="en"><head><meta charset="utf-8">%sveltekit.head%</head><body data-sveltekit-preload-data="hover"><div style="display: contents">%sveltekit.body%</div></body></html>\n',
        'src/lib/documents.js': `const files = import.meta.glob('../docs/**/*.md', { query: '?raw', import: 'default', eager: true })
export const documents = Object.entries(files).map(([path, text]) => {
  const slug = path.replace('../docs/', '').replace('.md', '')
  return { slug, title: text.split('\\n')[0].slice(2), text, href: '/' + slug.replace(/(^|\\/)index$/, '') }
})
`,
        'src/routes/+layout.js': 'export const prerender = true\n',
        'src/routes/+layout.server.js': `import { documents } from '$lib/documents.js'
export const load = () => ({ pages: documents.map(({ title, href }) => ({ title, href })) })
`,
        'src/routes/+layout.svelte': layout,
        'src/routes/[...slug]/+page.server.js': `import { documents } from '$lib/documents.js'
import { error } from '@sveltejs/kit'
import { marked } from 'marked'
export const entries = () => documents.map(({ href }) => ({ slug: href.slice(1) }))
export function load({ params }) {
  const found = documents.find(({ href }) => href.replace(/\\/$/, '') === ('/' + params.slug).replace(/\\/$/, ''))
  if (!found) error(404)
  return { title: found.title, html: marked.parse(found.text) }
}
`,
        'src/routes/[...slug]/+page.svelte': '<script>let { data } = $props()</script>\n{@html data.html}\n',
        ...toFiles(
          documents,
          ({ slug }) => `src/docs/${slug}.md`,
          ({ title, body }) => `# ${title}\n\n${body}\n`,
        ),
      },
    }
  },
  out: 'build',
})
