// Used when the index is made and inside the pages that search it, sent there as text: it stands for itself.

/** A word or sign of a text that is searched for, and where it stands. */
export interface TextTerm {
  term: string
  start: number
  end: number
  /** A piece of the word before it, such as `text` of `read_text`: found, but not asked for. */
  isPart: boolean
}

export interface TermReader {
  /** The terms of a text in their order. */
  read(text: string): TextTerm[]
  /** The same, one by one. */
  visit(text: string, each: (term: string, isPart: boolean, start: number, end: number) => void): void
}

/**
 * Splits text into the terms that are searched for: in lower case without accents, words at what is no letter or digit,
 * names with underscores or capitals inside as a whole and in parts, scripts without spaces by pairs of signs.
 */
export function createTermReader(): TermReader {
  const wordSign = /[\p{L}\p{N}\p{M}]/u
  // By UTF-16 unit: 0 = not looked at, 1 = no part of a word, 2 = part of one.
  const signs = new Uint8Array(65536)
  const unspaced =
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc]+/gu
  const letters: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', ł: 'l', ı: 'i', þ: 'th' }
  const longest = 48
  // No name that anybody types: it is not taken apart.
  const longestName = 128
  const known = new Map<string, { term: string; start: number; end: number; isPart: boolean }[]>()

  function fold(text: string): string {
    const lower = text.toLowerCase()
    if (/^[a-z0-9_]*$/.test(lower)) return lower
    return lower
      .normalize('NFKD')
      .replace(/[\u0300-\u036f\u0591-\u05c7\u064b-\u065f]/g, '')
      .normalize('NFKC')
      .replace(/[ßæœøđðłıþ]/g, letter => letters[letter] ?? letter)
  }

  function readWord(word: string) {
    const found: { term: string; start: number; end: number; isPart: boolean }[] = []
    const add = (start: number, end: number, isPart: boolean) => {
      const term = fold(word.slice(start, end)).slice(0, longest)
      if (term !== '') found.push({ term, start, end, isPart })
    }
    const addSpaced = (start: number, end: number) => {
      const piece = word.slice(start, end)
      if (!/[^_]/.test(piece)) return
      add(start, end, false)
      if (piece.length > longestName) return
      const parts = Array.from(piece.matchAll(/\p{Lu}+(?!\p{Ll})|\p{Lu}?[^\p{Lu}_]+/gu))
      if (parts.length > 1) for (const part of parts) add(start + part.index, start + part.index + part[0].length, true)
    }
    let at = 0
    for (const run of word.matchAll(unspaced)) {
      if (run.index > at) addSpaced(at, run.index)
      at = run.index + run[0].length
      const signs = Array.from(run[0])
      let start = run.index
      for (const [index, sign] of signs.entries()) {
        const next = signs[index + 1]
        // The last sign alone, so that it is found when it is all that is asked for.
        add(start, start + sign.length + (next?.length ?? 0), next === undefined && signs.length > 1)
        start += sign.length
      }
    }
    if (at < word.length) addSpaced(at, word.length)
    return found
  }

  /** How many units at this place of the text belong to a word. Sign by sign: five times as fast as one expression. */
  function measure(text: string, at: number): number {
    const code = text.charCodeAt(at)
    if (code < 128)
      return (code > 96 && code < 123) || (code > 64 && code < 91) || (code > 47 && code < 58) || code === 95 ? 1 : 0
    const point = text.codePointAt(at) ?? code
    if (point > 0xffff) return wordSign.test(String.fromCodePoint(point)) ? 2 : 0
    signs[code] ||= wordSign.test(text.charAt(at)) ? 2 : 1
    return signs[code] === 2 ? 1 : 0
  }

  function visit(text: string, each: (term: string, isPart: boolean, start: number, end: number) => void): void {
    for (let at = 0; at < text.length; ) {
      const from = at
      for (let length = measure(text, at); length > 0; length = at < text.length ? measure(text, at) : 0) at += length
      if (at === from) {
        at += 1
        continue
      }
      const word = text.slice(from, at)
      let terms = known.get(word)
      if (!terms) {
        terms = readWord(word)
        if (known.size > 100_000) known.clear()
        if (word.length <= longestName) known.set(word, terms)
      }
      for (const { term, start, end, isPart } of terms) each(term, isPart, from + start, from + end)
    }
  }

  return {
    visit,
    read(text) {
      const found: { term: string; start: number; end: number; isPart: boolean }[] = []
      visit(text, (term, isPart, start, end) => found.push({ term, start, end, isPart }))
      return found
    },
  }
}
