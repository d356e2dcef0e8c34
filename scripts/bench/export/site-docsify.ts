import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { copyMarkdown, listMarkdown, markdownRecipe, prepareMarkdown } from './markdown.ts'
import { makeOnce } from './ready.ts'
import { runNpm } from './run-tool.ts'
import type { BenchSite } from './site.ts'

const version = '5.0.0'

const indexPage = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8"><title>Docs</title><meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="/core.min.css">
</head>
<body>
<div id="app">Loading...</div>
<script>window.$docsify = { name: 'Docs', loadSidebar: true, alias: { '/.*/_sidebar.md': '/_sidebar.md' }, routerMode: 'history', relativePath: true }</script>
<script src="/docsify.min.js"></script>
</body>
</html>
`

/** A site with empty HTML. docsify renders every page in the browser, and the server answers all paths with the same file. */
export const docsifySite: BenchSite = {
  name: 'docsify',
  description: `docsify ${version}, history router, soft 404s`,
  isUnseen: false,
  isServerRendered: false,
  hasFallback: true,
  async prepare(cacheFolder) {
    const markdown = await prepareMarkdown(cacheFolder)
    const recipe = [version, markdownRecipe, indexPage, 2]
    const folder = await makeOnce(cacheFolder, 'docsify', recipe, async folder => {
      const packages = join(folder, '.packages')
      await mkdir(packages)
      await writeFile(
        join(packages, 'package.json'),
        JSON.stringify({ private: true, dependencies: { docsify: version } }),
      )
      await runNpm(['install', '--ignore-scripts'], { folder: packages, log: 'npm.log' })
      const dist = join(packages, 'node_modules', 'docsify', 'dist')
      await cp(join(dist, 'docsify.min.js'), join(folder, 'docsify.min.js'))
      await cp(join(dist, 'themes', 'core.min.css'), join(folder, 'core.min.css'))
      await copyMarkdown(markdown, folder, text => text)
      const paths = listDocuments(folder)
      await writeFile(join(folder, 'index.html'), indexPage)
      await writeFile(
        join(folder, 'README.md'),
        '# Docs\n\nThree sets of documents, made in the browser from Markdown.\n',
      )
      await writeFile(join(folder, '_sidebar.md'), toSidebar(paths))
    })
    return { folder, pages: ['/', ...listDocuments(folder)].sort() }
  },
}

function listDocuments(folder: string): string[] {
  return listMarkdown(folder)
    .filter(path => path.includes('/'))
    .map(path => `/${path.replace(/\.md$/, '')}`)
}

/** The menu contains every page. */
function toSidebar(paths: readonly string[]): string {
  const items = paths.map(path => `- [${path.slice(1).replaceAll('/', ' ')}](${encodeURI(path)})`)
  return `- [Home](/)\n${items.join('\n')}\n`
}
