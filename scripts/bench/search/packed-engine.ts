import type { IndexFile } from '../../../server/export/search/search-index.ts'

/** All files of a search in a bundle. */
export interface PackedEngine {
  /** The script that every page loads. */
  script: string
  /** The search code of this script, minified, without the dialog. All engines use the same dialog. */
  engineCode: string
  /** Script files of the index, by their name in `_quire/search`. */
  index: IndexFile[]
  /** Script files with texts and headings. Pages load only the files of the hits. */
  texts: IndexFile[]
}
