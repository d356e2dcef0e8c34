import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build, transform } from 'esbuild'
import MiniSearch from 'minisearch'
import type { CorpusPage } from './corpora.ts'
import type { MiniSearchDirectory, MiniSearchSettings } from './minisearch-page.ts'
import type { MiniSearchOptions } from './minisearch-query.ts'
import type { PackedEngine } from './packed-engine.ts'

const libraryFile = join(import.meta.dirname, '../node_modules/minisearch/dist/es/index.js')
/** The indexed fields: heading of a section, its text, and the name of its page. */
const fields = ['heading', 'text', 'page']
/** Maximum size of a text file, as in the index of Quire. */
const textFileChars = 24 * 1024

/** Indexes one document per section, with consecutive ids. `pathOf` has the path of the page for each id. */
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

/** Packs the index, and the texts of the hits in separate files, as Quire does. */
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

/** Writes JSON as a string literal of JavaScript. MiniSearch reads JSON, and browsers parse it faster than an object. */
function toLiteral(json: string): string {
  return `'${json.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
