import type { QuestionWord } from './question.ts'
import type { TermReader } from './search-terms.ts'

/** A text in pieces. `isMark` = the piece is a word of the question. */
export type MarkedText = { text: string; isMark: boolean }[]

/** Start and end in a text. */
export type Mark = [start: number, end: number]

/** Finds the words in a text. Overlapping marks are merged. */
export function findMarks(reader: TermReader, text: string, words: readonly QuestionWord[]): Mark[] {
  const marks: Mark[] = []
  for (const { term, start, end } of reader.read(text)) {
    const isAsked = words.some(word => term === word.term || (word.isPrefix && term.startsWith(word.term)))
    const last = marks.at(-1)
    if (!isAsked) continue
    if (last && start < last[1]) last[1] = Math.max(last[1], end)
    else marks.push([start, end])
  }
  return marks
}

export function markText(text: string, marks: readonly Mark[], from = 0, to = text.length): MarkedText {
  const pieces: MarkedText = []
  const add = (start: number, end: number, isMark: boolean) => {
    if (end > start) pieces.push({ text: text.slice(start, end), isMark })
  }
  let at = from
  for (const [start, end] of marks) {
    if (start < from || end > to) continue
    add(at, start, false)
    add(start, end, true)
    at = end
  }
  add(at, to, false)
  return pieces
}
