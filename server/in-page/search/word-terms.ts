// No DOM in this file: the exporter reads terms with it.
import { foldText } from './fold-text.ts'

/** A searchable term of a text, and its place there. */
export interface TextTerm {
  term: string
  start: number
  end: number
  /** A part of the word before it, such as `text` of `read_text`: found, but not required. */
  isPart: boolean
}

const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc]+/gu
const maxTermChars = 48
/** Nobody types a longer name, so it is not split into parts. */
export const maxNameChars = 128

/** Splits a word into terms: names with underscores or capitals as a whole and in parts, scripts without spaces by pairs of characters. */
export function readWordTerms(word: string): TextTerm[] {
  const found: TextTerm[] = []
  let at = 0
  for (const { 0: run, index } of word.matchAll(unspaced)) {
    if (index > at) addName(found, word, at, index)
    addPairs(found, word, run, index)
    at = index + run.length
  }
  if (at < word.length) addName(found, word, at, word.length)
  return found
}

function add(found: TextTerm[], word: string, start: number, end: number, isPart: boolean): void {
  const term = foldText(word.slice(start, end)).slice(0, maxTermChars)
  if (term !== '') found.push({ term, start, end, isPart })
}

function addName(found: TextTerm[], word: string, start: number, end: number): void {
  const name = word.slice(start, end)
  if (!/[^_]/.test(name)) return
  add(found, word, start, end, false)
  if (name.length > maxNameChars) return
  const parts = Array.from(name.matchAll(/\p{Lu}+(?!\p{Ll})|\p{Lu}?[^\p{Lu}_]+/gu))
  if (parts.length < 2) return
  for (const { 0: part, index } of parts) add(found, word, start + index, start + index + part.length, true)
}

function addPairs(found: TextTerm[], word: string, run: string, runStart: number): void {
  const characters = Array.from(run)
  let start = runStart
  for (const [index, character] of characters.entries()) {
    const next = characters[index + 1]
    // The last character is also a term, so that a search for it alone finds it.
    add(found, word, start, start + character.length + (next?.length ?? 0), next === undefined && characters.length > 1)
    start += character.length
  }
}
