// This file uses no DOM, because the exporter also imports it to write the index.

const letters: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', ł: 'l', ı: 'i', þ: 'th' }

/** Converts text to lower case without accents, and full-width characters to half width. */
export function foldText(text: string): string {
  const lower = text.toLowerCase()
  if (/^[a-z0-9_]*$/.test(lower)) return lower
  return lower
    .normalize('NFKD')
    .replace(/[\u0300-\u036f\u0591-\u05c7\u064b-\u065f]/g, '')
    .normalize('NFKC')
    .replace(/[ßæœøđðłıþ]/g, letter => letters[letter] ?? letter)
}
