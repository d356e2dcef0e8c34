// This file uses no DOM, because the exporter also imports it to write the index.
import { maxNameChars, readWordTerms, type TextTerm } from './word-terms.ts'

export interface TermReader {
  /** Returns the terms of a text in order. */
  read(text: string): TextTerm[]
  /** Calls back for each term of a text in order. */
  visit(text: string, each: (term: string, isPart: boolean, start: number, end: number) => void): void
}

const maxKnownWords = 100_000

/**
 * Creates a reader that splits text into words of letters and digits, and words into terms in lower case without accents.
 */
export function createTermReader(): TermReader {
  const measure = createMeasure()
  const known = new Map<string, TextTerm[]>()

  function readWord(word: string): TextTerm[] {
    const before = known.get(word)
    if (before) return before
    const terms = readWordTerms(word)
    if (known.size > maxKnownWords) known.clear()
    if (word.length <= maxNameChars) known.set(word, terms)
    return terms
  }

  function visit(text: string, each: (term: string, isPart: boolean, start: number, end: number) => void): void {
    for (let at = 0; at < text.length; ) {
      const from = at
      for (let length = measure(text, at); length > 0; length = at < text.length ? measure(text, at) : 0) at += length
      if (at === from) {
        at += 1
        continue
      }
      for (const { term, start, end, isPart } of readWord(text.slice(from, at)))
        each(term, isPart, from + start, from + end)
    }
  }

  return {
    visit,
    read(text) {
      const found: TextTerm[] = []
      visit(text, (term, isPart, start, end) => found.push({ term, start, end, isPart }))
      return found
    },
  }
}

/**
 * Creates a function that counts the UTF-16 units of the word character at a position; 0 = none. It is five times as fast
 * as one regular expression.
 */
function createMeasure(): (text: string, at: number) => number {
  const wordCharacter = /[\p{L}\p{N}\p{M}]/u
  // By UTF-16 unit: 0 = not tested yet, 1 = outside words, 2 = inside.
  const kinds = new Uint8Array(65536)
  return (text, at) => {
    const code = text.charCodeAt(at)
    if (code < 128)
      return (code > 96 && code < 123) || (code > 64 && code < 91) || (code > 47 && code < 58) || code === 95 ? 1 : 0
    const point = text.codePointAt(at) ?? code
    if (point > 0xffff) return wordCharacter.test(String.fromCodePoint(point)) ? 2 : 0
    kinds[code] ||= wordCharacter.test(text.charAt(at)) ? 2 : 1
    return kinds[code] === 2 ? 1 : 0
  }
}
