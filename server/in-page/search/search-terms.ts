// This file uses no DOM, because the exporter also imports it to write the index.

export interface TermReader {
  /** Returns the terms of a text in order. */
  read(text: string): TextTerm[]
  /** Calls back for each term of a text in order. */
  visit(text: string, each: (term: string, isPart: boolean, start: number, end: number) => void): void
}

const maxKnownWords = 100_000

/** Longer names are not split into parts, because nobody searches for them. */
const maxNameChars = 128

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

/** A searchable term and its position in the text. */
interface TextTerm {
  term: string
  start: number
  end: number
  /** Whether the term is a part of a name, such as `text` of `read_text`. A part can be found but is not required. */
  isPart: boolean
}

const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc]+/gu
const maxTermChars = 48
/** Enough for a term of letters with accents. Sorting the accents of a letter takes quadratic time. */
const maxFoldedChars = 8 * maxTermChars

/**
 * Splits a word into terms. A name with underscores or capitals becomes the whole name and its parts. A word in a script
 * without spaces becomes pairs of characters.
 */
function readWordTerms(word: string): TextTerm[] {
  const pieces: TextTerm[][] = []
  let at = 0
  for (const { 0: run, index } of word.matchAll(unspaced)) {
    if (index > at) pieces.push(readName(word, at, index))
    pieces.push(readPairs(word, run, index))
    at = index + run.length
  }
  if (at < word.length) pieces.push(readName(word, at, word.length))
  return pieces.flat()
}

/** Returns one term or none. */
function readTerm(word: string, start: number, end: number, isPart: boolean): TextTerm[] {
  const term = foldText(word.slice(start, Math.min(end, start + maxFoldedChars))).slice(0, maxTermChars)
  return term === '' ? [] : [{ term, start, end, isPart }]
}

function readName(word: string, start: number, end: number): TextTerm[] {
  const name = word.slice(start, end)
  if (!/[^_]/.test(name)) return []
  const whole = readTerm(word, start, end, false)
  if (name.length > maxNameChars) return whole
  const parts = Array.from(name.matchAll(/\p{Lu}+(?!\p{Ll})|\p{Lu}?[^\p{Lu}_]+/gu))
  if (parts.length < 2) return whole
  const terms = parts.flatMap(({ 0: part, index }) => readTerm(word, start + index, start + index + part.length, true))
  return [...whole, ...terms]
}

function readPairs(word: string, run: string, runStart: number): TextTerm[] {
  const characters = Array.from(run)
  let start = runStart
  return characters.flatMap((character, index) => {
    const next = characters[index + 1]
    const end = start + character.length
    // The last character is also a separate term, so it can be found alone.
    const term = readTerm(word, start, end + (next?.length ?? 0), next === undefined && characters.length > 1)
    start = end
    return term
  })
}

const plainLetters: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  ı: 'i',
  þ: 'th',
}

/** Converts text to lower case without accents, and full-width characters to half width. */
function foldText(text: string): string {
  const lower = text.toLowerCase()
  if (/^[a-z0-9_]*$/.test(lower)) return lower
  return lower
    .normalize('NFKD')
    .replace(/[\u0300-\u036f\u0591-\u05c7\u064b-\u065f]/g, '')
    .normalize('NFKC')
    .replace(/[ßæœøđðłıþ]/g, letter => plainLetters[letter] ?? letter)
}
