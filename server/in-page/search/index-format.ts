// This file uses no DOM, because the exporter imports it to write the index.

/** The data that every search needs first. */
export interface SearchDirectory {
  /** Changes with the content of the index. */
  build: string
  /** Number of sections in all pages; sections are numbered across pages. */
  sections: number
  /** Path in the bundle, name, language and number of sections, in the order of the sections. */
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
