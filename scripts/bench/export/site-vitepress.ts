import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { copyMarkdown, listFiles, listMarkdown, markdownRecipe, prepareMarkdown } from './markdown.ts'
import { makeOnce } from './ready.ts'
import { runNpm } from './run-tool.ts'
import { searchWords } from './search-words.ts'
import type { BenchSite } from './site.ts'

const version = '1.6.4'

/** A site of VitePress. Every page uses Vue; a click loads more chunks, and the search loads an index. */
export const vitepressSite: BenchSite = {
  name: 'vitepress',
  description: `VitePress ${version}, local search`,
  isUnseen: true,
  isServerRendered: false,
  hasFallback: false,
  async prepare(cacheFolder) {
    const markdown = await prepareMarkdown(cacheFolder)
    const recipe = [version, markdownRecipe, 2]
    const project = await makeOnce(cacheFolder, 'vitepress', recipe, folder => build(folder, markdown))
    const folder = join(project, '.vitepress', 'dist')
    const pages = listFiles(folder, '.html').filter(path => path !== '404.html')
    return { folder, pages: pages.map(path => `/${path.replace(/(^|\/)index\.html$/, '$1')}`).sort() }
  },
  app: {
    hydrated: `document.querySelector('#app')?.__vue_app__ !== undefined`,
    themeToggle: '.VPNavBarAppearance button.VPSwitchAppearance',
    theme: `document.documentElement.className`,
    clickFrom: '/fastify/Reference/Hooks.html',
    clickTo: '/undici/docs/api/Agent.html',
    menuLinks: '.VPSidebar a[href]',
  },
  search: {
    path: '/fastify/Reference/Hooks.html',
    opener: '.VPNavBarSearch button',
    field: '#localsearch-input',
    hits: '.VPLocalSearchBox .results a.result',
    queries: searchWords,
  },
}

async function build(folder: string, markdown: string): Promise<void> {
  await copyMarkdown(markdown, folder, toVue)
  await writeFile(
    join(folder, 'index.md'),
    `---
layout: home
hero:
  name: Docs
  text: Three sets of documents
  actions:
${['fastify', 'undici', 'npm'].map(name => `    - { text: ${name}, link: ${firstPage(folder, name)} }`).join('\n')}
---
`,
  )
  const sidebar = ['fastify', 'undici', 'npm'].map(name => ({
    text: name,
    collapsed: false,
    items: listMarkdown(join(folder, name)).map(path => {
      const bare = path.replace(/\.md$/, '')
      return { text: bare.replaceAll('/', ' '), link: `/${name}/${bare}` }
    }),
  }))
  await mkdir(join(folder, '.vitepress'))
  // Raw HTML in these documents is not a Vue template.
  const config = {
    title: 'Docs',
    ignoreDeadLinks: true,
    markdown: { html: false },
    themeConfig: { search: { provider: 'local' }, sidebar },
  }
  await writeFile(join(folder, '.vitepress', 'config.mjs'), `export default ${JSON.stringify(config, undefined, 2)}\n`)
  const manifest = {
    private: true,
    type: 'module',
    scripts: { build: 'vitepress build' },
    devDependencies: { vitepress: version },
  }
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  await runNpm(['install'], { folder, log: 'npm.log' })
  await runNpm(['run', 'build'], { folder, log: 'build.log', timeoutMs: 900_000 })
}

/** Stops Vue from evaluating braces in text, and removes links in headings, because the search index uses them as anchors. */
function toVue(text: string): string {
  const front = /^---\n[\s\S]*?\n---\n/.exec(text)?.[0] ?? ''
  const body = text
    .slice(front.length)
    .replace(/^#{1,6} .*$/gm, heading => heading.replace(/\[([^\]]+)\](?:\[[^\]]*\]|\([^)]*\))/g, '$1'))
  return `${front}::: v-pre\n\n${body}\n\n:::\n`
}

function firstPage(folder: string, name: string): string {
  const path = listMarkdown(join(folder, name))[0] ?? ''
  return `/${name}/${path.replace(/\.md$/, '')}`
}
