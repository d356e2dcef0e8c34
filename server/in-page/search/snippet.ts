import { findMarks, type Mark, type MarkedText, markText } from './marked-text.ts'
import type { QuestionWord } from './question.ts'
import type { TermReader } from './search-terms.ts'

const snippetChars = 150
/** Max characters of a text in which marks are found. */
const maxTextChars = 100_000

/** Returns the part of a text that contains the most words, cut at spaces. */
export function cutSnippet(reader: TermReader, whole: string, words: readonly QuestionWord[]): MarkedText {
  const text = whole.slice(0, maxTextChars)
  const marks = findMarks(reader, text, words)
  const from = findStart(text, findDensest(text, marks))
  const to = findEnd(text, from)
  const pieces = markText(text, marks, from, to)
  if (from > 0) pieces.unshift({ text: '… ', isMark: false })
  if (to < whole.length) pieces.push({ text: ' …', isMark: false })
  return pieces
}

/** Returns the start of the first mark whose snippet would contain the most distinct words. */
function findDensest(text: string, marks: readonly Mark[]): number {
  let from = 0
  let max = 0
  for (const [index, [start]] of marks.entries()) {
    const seen = new Set<string>()
    for (let at = index; at < marks.length; at += 1) {
      const [begin, end] = marks[at] ?? [0, 0]
      if (end > start + snippetChars - 30) break
      seen.add(text.slice(begin, end).toLowerCase())
    }
    if (seen.size > max) {
      max = seen.size
      from = start
    }
  }
  return from
}

function findStart(text: string, from: number): number {
  if (from <= 30) return 0
  const space = text.indexOf(' ', from - 40)
  return space !== -1 && space < from ? space + 1 : Math.max(0, from - 30)
}

function findEnd(text: string, from: number): number {
  const to = Math.min(text.length, from + snippetChars)
  const space = to < text.length ? text.lastIndexOf(' ', to) : -1
  return space > from + snippetChars / 2 ? space : to
}
