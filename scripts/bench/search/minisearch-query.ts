// Also runs inside pages.
import type MiniSearch from 'minisearch'
import type { MiniSearchHit } from 'minisearch'

export interface MiniSearchOptions {
  /** Weights of the heading of a section, of its text and of the name of its page. */
  boost: { heading: number; text: number; page: number }
  /** Whether to search for sections with all words, and for sections with any word only if there are none. */
  allWordsFirst: boolean
  /** Whether only the last word may be a prefix. */
  lastPrefixOnly: boolean
  /** Words with at most this many letters must match exactly. */
  exactLetters: number
  /** Weights of inexact matches. The defaults of MiniSearch are 0.45 and 0.375. */
  weights?: { fuzzy: number; prefix: number }
}

/** Searches with MiniSearch. Up to a fifth of the letters of a word may be wrong. */
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

/** Chosen before any result was known. */
export const plainOptions: MiniSearchOptions = {
  boost: { heading: 4, text: 2, page: 1 },
  allWordsFirst: false,
  lastPrefixOnly: false,
  exactLetters: 0,
}

/** Also chosen before any result was known. */
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

/** 256 settings similar to the example in the manual of MiniSearch. */
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
