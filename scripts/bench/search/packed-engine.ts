import type { IndexFile } from '../../../server/export/search/search-index.ts'

/** Everything of a search that a bundle carries. */
export interface PackedEngine {
  /** The script that every page loads. */
  script: string
  /** What of it finds, without the dialog, minified: the same dialog shows the hits of all engines. */
  engineCode: string
  /** Script files of the index, by their name in `_quire/search`. */
  index: IndexFile[]
  /** Script files with texts and headings, of which only those of the hits are loaded. */
  texts: IndexFile[]
}
