import { findPlace } from './find-place.ts'
import type { IndexLoader, SearchDirectory } from './index-format.ts'
import { readPostings } from './postings.ts'
import type { QuestionWord } from './question.ts'

/** Scores by section. */
export type Scores = Map<number, number>

export interface FoundWord {
  word: QuestionWord
  scores: Scores
}

/** Limits the files loaded for a short prefix, which many words share. */
const maxFiles = 4

/** Finds a word in the index. If the word is a name that no section contains, finds its parts. */
export async function findWord(
  directory: SearchDirectory,
  load: IndexLoader,
  word: QuestionWord,
): Promise<FoundWord[]> {
  const { parts, isPrefix } = word
  const scores = await findTerm(directory, load, word)
  if (scores.size > 0 || parts.length === 0) return [{ word, scores }]
  const words = parts.map((term, index) => ({ term, parts: [], isPrefix: isPrefix && index === parts.length - 1 }))
  return Promise.all(words.map(async part => ({ word: part, scores: await findTerm(directory, load, part) })))
}

async function findTerm(
  directory: SearchDirectory,
  load: IndexLoader,
  { term, isPrefix }: QuestionWord,
): Promise<Scores> {
  const scores: Scores = new Map()
  const from = Math.max(0, findPlace(directory.words, term))
  const to = isPrefix ? findPlace(directory.words, `${term}\uffff`) : from
  const numbers = Array.from({ length: Math.min(to - from + 1, maxFiles) }, (_, index) => from + index)
  for (const lines of await Promise.all(numbers.map(number => load('words', number)))) {
    for (const line of lines.split(',')) {
      if (!line.startsWith(term)) continue
      const space = line.indexOf(' ')
      if (space !== term.length && !isPrefix) continue
      const share = space === term.length ? 1 : 0.2 + (0.6 * term.length) / space
      addScores(scores, line.slice(space + 1), directory.sections, share)
    }
  }
  return scores
}

function addScores(scores: Scores, written: string, sections: number, share: number): void {
  const postings = readPostings(written)
  const rarity = Math.log(1 + (sections - postings.length + 0.5) / (postings.length + 0.5))
  for (const [section, weight] of postings)
    scores.set(section, Math.max(scores.get(section) ?? 0, weight * rarity * share))
}
