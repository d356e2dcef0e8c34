import { transform } from 'esbuild'
import { createSearchIndex } from '../../../server/export/search/search-index.ts'
import { createSearch } from '../../../server/export/search/search-query.ts'
import { searchScript } from '../../../server/export/search/search-script.ts'
import { createTermReader } from '../../../server/export/search/search-terms.ts'
import type { CorpusPage } from './corpora.ts'
import type { PackedEngine } from './packed-engine.ts'

/** The search as an export packs it. */
export async function packOurs(pages: readonly CorpusPage[]): Promise<PackedEngine> {
  const index = createSearchIndex()
  const files = pages.flatMap(({ path, sections }) => index.add(path, sections))
  files.push(...index.finish().files)
  const { code } = await transform(`self.parts=[${createTermReader},${createSearch}]`, { minify: true })
  const isText = ({ name }: { name: string }) => name.startsWith('text-')
  return {
    script: searchScript(),
    engineCode: code,
    index: files.filter(file => !isText(file)),
    texts: files.filter(isText),
  }
}
