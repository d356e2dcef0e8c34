import { readdirSync } from 'node:fs'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { makeOnce } from './ready.ts'
import { runNpm } from './run-tool.ts'

/** Packages that contain their documentation as Markdown, and its folder. The fixed versions keep the sites unchanged. */
const sources = [
  { name: 'fastify', version: '5.12.8', folder: 'docs' },
  { name: 'undici', version: '8.12.4', folder: 'docs' },
  { name: 'npm', version: '12.2.0', folder: 'docs/content' },
] as const

export const markdownRecipe = sources

/** Downloads documents of other projects to DIR/fastify, DIR/undici and DIR/npm, Markdown and images. Returns DIR. */
export function prepareMarkdown(cacheFolder: string): Promise<string> {
  return makeOnce(cacheFolder, 'markdown', sources, async folder => {
    const packages = join(folder, '.packages')
    await mkdir(packages)
    const dependencies = Object.fromEntries(sources.map(({ name, version }) => [name, version]))
    await writeFile(join(packages, 'package.json'), JSON.stringify({ private: true, dependencies }))
    await runNpm(['install', '--ignore-scripts'], { folder: packages, log: 'npm.log' })
    for (const { name, folder: inside } of sources) {
      await cp(join(packages, 'node_modules', name, inside), join(folder, name), { recursive: true })
    }
  })
}

/** Lists the Markdown files below a folder, as sorted paths with slashes. */
export function listMarkdown(folder: string): string[] {
  return listFiles(folder, '.md')
}

/** Lists the files with an extension below a folder, without dot folders and node_modules, as sorted paths with slashes. */
export function listFiles(folder: string, ending: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name.endsWith(ending))
    .map(entry => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter(path => !/(^|\/)(\.|node_modules\/)/.test(path))
    .sort()
}

/** Copies the documents into `into`: each page is converted by `change`, images are unchanged. */
export async function copyMarkdown(from: string, into: string, change: (text: string, path: string) => string) {
  for (const path of listFiles(from, '')) {
    const target = join(into, path)
    await mkdir(dirname(target), { recursive: true })
    if (path.endsWith('.md')) await writeFile(target, change(await readFile(join(from, path), 'utf8'), path))
    else await cp(join(from, path), target)
  }
}
