// Also runs inside pages.
import type MiniSearch from 'minisearch'
import type { MiniSearchHit } from 'minisearch'

export interface MiniSearchOptions {
  /** Weight of the words in a section's heading, its text and the name of its page. */
  boost: { heading: number; text: number; page: number }
  /** Sections with all words of the question; those with any of them only when there are none. */
  allWordsFirst: boolean
  /** Only the last word may be unfinished. */
  lastPrefixOnly: boolean
  /** Words of up to this many letters are not matched with mistakes. */
  exactLetters: number
  /** Weight of inexact matches; without it the defaults of MiniSearch, 0.45 and 0.375. */
  weights?: { fuzzy: number; prefix: number }
}

/** Asks MiniSearch, with a fifth of the letters of a word allowed to be wrong. */
export function queryMiniSearch(index: MiniSearch, question: string, options: MiniSearchOptions): MiniSearchHit[] {
  const { boost, allWordsFirst, lastPrefixOnly, exactLetters, weights } = options
  const common = {
    boost,
    prefix: (_: string, at: number, terms: string[]) => !lastPrefixOnly || at === terms.length - 1,
    fuzzy: (term: string): number | false => (term.length > exactLetters ? 0.2 : false),
    ...(weights ? { weights } : {}),
  }
  const all = allWordsFirst ? index.search(question, { ...common, combineWith: 'AND' }) : []
  return all.length > 0 ? all : index.search(question, { ...common, combineWith: 'OR' })
}

/** Set before any result was known. */
export const plainOptions: MiniSearchOptions = {
  boost: { heading: 4, text: 2, page: 1 },
  allWordsFirst: false,
  lastPrefixOnly: false,
  exactLetters: 0,
}

/** Set before any result was known, too. */
export const allWordsOptions: MiniSearchOptions = {
  ...plainOptions,
  allWordsFirst: true,
  lastPrefixOnly: true,
  exactLetters: 3,
}

/** The best of `optionGrid` by the first set of questions. */
export const bestOptions: MiniSearchOptions = {
  boost: { heading: 2, text: 1, page: 4 },
  allWordsFirst: true,
  lastPrefixOnly: true,
  exactLetters: 0,
}

/** 256 settings around what the manual of MiniSearch shows. */
export const optionGrid: readonly MiniSearchOptions[] = [1, 2, 4, 8].flatMap(heading =>
  [0.5, 1, 2, 4].flatMap(page =>
    [true, false].flatMap(allWordsFirst =>
      [true, false].flatMap(lastPrefixOnly =>
        [0, 3].flatMap(exactLetters =>
          [undefined, { fuzzy: 0.1, prefix: 0.3 }].map(weights => ({
            boost: { heading, text: 1, page },
            allWordsFirst,
            lastPrefixOnly,
            exactLetters,
            ...(weights ? { weights } : {}),
          })),
        ),
      ),
    ),
  ),
)
