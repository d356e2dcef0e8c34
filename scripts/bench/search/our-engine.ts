import { join } from 'node:path'
import { build } from 'esbuild'
import { startSearch } from '../../../generated/in-page.ts'
import { callScript } from '../../../server/base/call-script.ts'
import { createSearchIndex } from '../../../server/export/search/search-index.ts'
import type { CorpusPage } from './corpora.ts'
import type { PackedEngine } from './packed-engine.ts'

/** Packs the search like an export. */
export async function packOurs(pages: readonly CorpusPage[]): Promise<PackedEngine> {
  const index = createSearchIndex()
  const files = pages.flatMap(({ path, sections }) => index.add(path, sections))
  files.push(...index.finish().files)
  const { outputFiles } = await build({
    stdin: {
      contents: `import { createSearch } from './search-query.ts'
import { createTermReader } from './search-terms.ts'
self.parts = [createTermReader, createSearch]`,
      resolveDir: join(import.meta.dirname, '../../../server/in-page/search'),
    },
    bundle: true,
    minify: true,
    format: 'iife',
    charset: 'ascii',
    write: false,
  })
  const isText = ({ name }: { name: string }) => name.startsWith('text-')
  return {
    script: `${callScript(startSearch)}\n`,
    engineCode: outputFiles[0]?.text ?? '',
    index: files.filter(file => !isText(file)),
    texts: files.filter(isText),
  }
}
