// This file uses no DOM, because the exporter also imports it to write the index.
import { foldText } from './fold-text.ts'

/** A searchable term and its position in the text. */
export interface TextTerm {
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
/** Longer names are not split into parts, because nobody searches for them. */
export const maxNameChars = 128

/**
 * Splits a word into terms. A name with underscores or capitals becomes the whole name and its parts. A word in a script
 * without spaces becomes pairs of characters.
 */
export function readWordTerms(word: string): TextTerm[] {
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
