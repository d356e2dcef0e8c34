import type { TermReader } from './search-terms.ts'

/** A word of a question. */
export interface QuestionWord {
  term: string
  /** The terms of its parts, used if no section contains the whole name. */
  parts: string[]
  /** Whether the word may be unfinished. */
  isPrefix: boolean
}

const maxWords = 12

/** Reads the distinct words of a question. The last word may be unfinished. */
export function readQuestion(reader: TermReader, question: string): QuestionWord[] {
  const found: QuestionWord[] = []
  for (const { term, end, isPart } of reader.read(question)) {
    if (isPart) found.at(-1)?.parts.push(term)
    else if (found.length < maxWords) found.push({ term, parts: [], isPrefix: end === question.length })
  }
  return found.filter(({ term }, index) => !found.some((other, at) => at > index && other.term === term))
}
