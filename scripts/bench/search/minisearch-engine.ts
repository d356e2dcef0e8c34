import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build, transform } from 'esbuild'
import MiniSearch from 'minisearch'
import type { CorpusPage } from './corpora.ts'
import type { MiniSearchDirectory, MiniSearchSettings } from './minisearch-page.ts'
import type { MiniSearchOptions } from './minisearch-query.ts'
import type { PackedEngine } from './packed-engine.ts'

const libraryFile = join(import.meta.dirname, '../node_modules/minisearch/dist/es/index.js')
/** Section heading, its text, and the name of its page. */
const fields = ['heading', 'text', 'page']
/** As in our index. */
const textFileChars = 24 * 1024

/** One document for each section, numbered through; `pathOf` has the page of each. */
export function indexWithMiniSearch(pages: readonly CorpusPage[]): { index: MiniSearch; pathOf: string[] } {
  const index = new MiniSearch({ fields })
  const pathOf: string[] = []
  for (const { path, sections } of pages) {
    for (const [at, { heading, text }] of sections.sections.entries()) {
      const names = at === 0 ? [sections.name, sections.title] : [heading, sections.name]
      index.add({ id: pathOf.length, heading: names[0], text, page: names[1] })
      pathOf.push(path)
    }
  }
  return { index, pathOf }
}

/** The texts that hits show are in files beside the index, as ours are. */
export async function packMiniSearch(pages: readonly CorpusPage[], options: MiniSearchOptions): Promise<PackedEngine> {
  const { index } = indexWithMiniSearch(pages)
  const directory: MiniSearchDirectory = { pages: [], texts: [] }
  const texts: [string, string, string][][] = []
  let chars = Number.POSITIVE_INFINITY
  let id = 0
  for (const { path, sections } of pages) {
    directory.pages.push([path, sections.name, id])
    for (const { heading, anchor, text } of sections.sections) {
      if (chars > textFileChars) {
        texts.push([])
        directory.texts.push(id)
        chars = 0
      }
      texts.at(-1)?.push([heading, anchor, text])
      chars += heading.length + anchor.length + text.length
      id += 1
    }
  }
  const library = await readFile(libraryFile, 'utf8')
  const { code } = await transform(library, { minify: true, format: 'iife', globalName: 'MiniSearchModule' })
  return {
    script: await packScript({ fields, options }),
    engineCode: code,
    index: [
      { name: 'directory.js', content: toScript('directory', JSON.stringify(directory)) },
      { name: 'index.js', content: toScript('index', toLiteral(JSON.stringify(index))) },
    ],
    texts: texts.map((each, number) => ({
      name: `text-${number}.js`,
      content: toScript(`text-${number}`, JSON.stringify(each)),
    })),
  }
}

async function packScript(settings: MiniSearchSettings): Promise<string> {
  const contents = `import { startMiniSearch } from './minisearch-page.ts'\nstartMiniSearch(${JSON.stringify(settings)})`
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    format: 'iife',
    charset: 'ascii',
    write: false,
  })
  return outputFiles[0]?.text ?? ''
}

function toScript(name: string, expression: string): string {
  return `\ufeff__miniSearch('${name}',${expression})\n`
}

/** JSON as a string of JavaScript: MiniSearch reads JSON, and browsers read it faster than an object. */
function toLiteral(json: string): string {
  return `'${json.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
