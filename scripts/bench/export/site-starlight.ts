import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { copyMarkdown, listFiles, listMarkdown, markdownRecipe, prepareMarkdown } from './markdown.ts'
import { makeOnce } from './ready.ts'
import { runNpm } from './run-tool.ts'
import { searchWords } from './search-words.ts'
import type { BenchSite } from './site.ts'

const versions = { astro: '7.3.5', '@astrojs/starlight': '0.42.4' }

/**
 * A site with plain HTML pages and small scripts. Its search loads hundreds of files whose names occur only in a compressed
 * index.
 */
export const starlightSite: BenchSite = {
  name: 'starlight',
  description: `Starlight ${versions['@astrojs/starlight']}, Pagefind search`,
  isUnseen: true,
  isServerRendered: false,
  hasFallback: false,
  async prepare(cacheFolder) {
    const markdown = await prepareMarkdown(cacheFolder)
    const recipe = [versions, markdownRecipe, 3]
    const project = await makeOnce(cacheFolder, 'starlight', recipe, folder => build(folder, markdown))
    const folder = join(project, 'dist')
    const pages = listFiles(folder, '.html').filter(path => path !== '404.html')
    return { folder, pages: pages.map(path => `/${path.replace(/(^|\/)index\.html$/, '$1')}`).sort() }
  },
  app: {
    hydrated: `customElements.get('starlight-theme-select') !== undefined`,
    themeToggle: 'starlight-theme-select select',
    theme: `document.documentElement.dataset.theme`,
    clickFrom: '/fastify/reference/hooks/',
    clickTo: '/undici/docs/api/agent/',
    menuLinks: 'nav.sidebar a[href]',
  },
  search: {
    path: '/fastify/reference/hooks/',
    opener: 'site-search button[data-open-modal]',
    field: '#starlight__search .pagefind-ui__search-input',
    hits: '#starlight__search .pagefind-ui__result-link',
    queries: searchWords,
  },
}

async function build(folder: string, markdown: string): Promise<void> {
  const content = join(folder, 'src', 'content', 'docs')
  await mkdir(content, { recursive: true })
  const slugs = new Set(
    ['fastify', 'undici', 'npm'].flatMap(name =>
      listMarkdown(join(markdown, name)).map(path => slugOf(`${name}/${path}`)),
    ),
  )
  await copyMarkdown(markdown, content, (text, path) => toStarlight(text, path, slugs))
  // Images are copied to public/, because the build fails on an image without a size.
  for (const path of listFiles(markdown, '.svg')) await cp(join(markdown, path), join(folder, 'public', path))
  await writeFile(
    join(content, 'index.md'),
    `---\ntitle: Three sets of documents\n---\n\n${['fastify', 'undici', 'npm'].map(name => `- ${name}`).join('\n')}\n`,
  )
  await writeFile(
    join(folder, 'src', 'content.config.mjs'),
    `import { defineCollection } from 'astro:content'
import { docsLoader } from '@astrojs/starlight/loaders'
import { docsSchema } from '@astrojs/starlight/schema'
export const collections = { docs: defineCollection({ loader: docsLoader(), schema: docsSchema() }) }
`,
  )
  const sidebar = ['fastify', 'undici', 'npm'].map(name => ({
    label: name,
    items: [{ autogenerate: { directory: name } }],
  }))
  await writeFile(
    join(folder, 'astro.config.mjs'),
    `import starlight from '@astrojs/starlight'
import { defineConfig, passthroughImageService } from 'astro/config'
export default defineConfig({
  site: 'https://docs.example.com',
  image: { service: passthroughImageService() },
  integrations: [starlight({ title: 'Docs', sidebar: ${JSON.stringify(sidebar)} })],
})
`,
  )
  const manifest = { private: true, type: 'module', scripts: { build: 'astro build' }, dependencies: versions }
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  await runNpm(['install'], { folder, log: 'npm.log' })
  const env = { ASTRO_TELEMETRY_DISABLED: '1' }
  await runNpm(['run', 'build'], { folder, log: 'build.log', timeoutMs: 900_000, env })
}

/** Adds a title to every page, and makes links point to pages instead of files. Links without a target become text. */
function toStarlight(text: string, path: string, slugs: ReadonlySet<string>): string {
  const front = /^---\n([\s\S]*?)\n---\n/.exec(text)
  const body = text.slice(front?.[0].length ?? 0)
  const named = /^title:\s*["']?(.*?)["']?\s*$/m.exec(front?.[1] ?? '')?.[1]
  const heading = /^#{1,2} (.+)$/m.exec(body)?.[1]?.replace(/\[([^\]]+)\](?:\[[^\]]*\]|\([^)]*\))/g, '$1')
  const slug = slugOf(path)
  const title = named ?? heading?.replaceAll('`', '') ?? posix.basename(slug)
  const lead = (address: string, fragment: string) => {
    const slug = slugOf(posix.join(posix.dirname(path), address))
    return slugs.has(slug) ? `/${slug}/${fragment}` : null
  }
  const linked = body
    .replace(/\[([^\][]+)\]\(([^):#\s]+\.md)(#[^)\s]*)?\)/g, (_, text: string, address: string, fragment = '') => {
      const to = lead(address, fragment)
      return to ? `[${text}](${to})` : text
    })
    .replace(/^(\[[^\]]+\]:\s*)([^:#\s]+\.md)(#\S*)?/gm, (_, label: string, address: string, fragment = '') => {
      const to = lead(address, fragment)
      return to ? label + to : ''
    })
  const shown = linked.replace(/(!\[[^\]]*\]\()(\.[^)\s]+\.svg)\)/g, (_, before: string, address: string) => {
    return `${before}/${posix.join(posix.dirname(path), address)})`
  })
  return `---\n${JSON.stringify({ title, slug }, undefined, 1)
    .slice(2, -2)
    .replace(/^ "(\w+)"/gm, '$1')
    .replace(/,$/gm, '')}\n---\n${shown.replace(/^# .+$/m, '')}`
}

function slugOf(path: string): string {
  const bare = path.replace(/(^|\/)index\.md$/i, '$1').replace(/\.md$|\/$/g, '')
  return bare.toLowerCase().replace(/[^a-z0-9/_-]+/g, '-')
}
