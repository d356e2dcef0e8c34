import type { CorpusPage } from './corpora.ts'
import { packMiniSearch } from './minisearch-engine.ts'
import { allWordsOptions, bestOptions, plainOptions } from './minisearch-query.ts'
import { packOurs } from './our-engine.ts'
import type { PackedEngine } from './packed-engine.ts'

export interface Engine {
  name: string
  pack(pages: readonly CorpusPage[]): Promise<PackedEngine>
}

export const engines: readonly Engine[] = [
  { name: 'Quire', pack: packOurs },
  { name: 'MiniSearch', pack: pages => packMiniSearch(pages, plainOptions) },
  { name: 'MiniSearch, all words first', pack: pages => packMiniSearch(pages, allWordsOptions) },
  { name: 'MiniSearch, best of 256', pack: pages => packMiniSearch(pages, bestOptions) },
]
