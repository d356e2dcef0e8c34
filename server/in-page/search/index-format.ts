// This file uses no DOM, because the exporter also imports it to write the index.

/** The data that every search loads first. */
export interface SearchDirectory {
  /** Identifies the content of the index: different content has a different value. */
  build: string
  /** Number of sections in all pages. The numbering of sections continues across pages. */
  sections: number
  /** Path in the bundle, name, language and number of sections of each page, in the order of the sections. */
  pages: [string, string, string, number][]
  /** The first term of each file of words. */
  words: string[]
  /** The first section of each file of texts. */
  texts: number[]
}

/** Heading, anchor and text of a section. */
export type SearchText = [string, string, string]

/** Loads a part of the index. */
export interface IndexLoader {
  (kind: 'directory', number: 0): Promise<SearchDirectory>
  (kind: 'words', number: number): Promise<string>
  (kind: 'text', number: number): Promise<SearchText[]>
}
