// This file uses no DOM, because the documentation generator also imports it.

/** One section in the search index. */
export interface SearchEntry {
  page: string
  heading: string
  /** Relative to the search page. */
  href: string
  text: string
}

export interface Found {
  entry: SearchEntry
  excerpt: string
}

const maxFound = 30
const excerptChars = 180

/**
 * Finds the sections that contain every word of the question, best first. Words in the heading have the highest weight,
 * then words in the page title, then words in the text.
 */
export function findSections(entries: readonly SearchEntry[], question: string): Found[] {
  const words = splitQuestion(question)
  if (words.length === 0) return []
  return entries
    .map(entry => ({ entry, score: scoreSection(entry, words) }))
    .filter(each => each.score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, maxFound)
    .map(({ entry }) => ({ entry, excerpt: cutExcerpt(entry.text, words) }))
}

export function splitQuestion(question: string): string[] {
  return question.toLowerCase().split(/\s+/).filter(Boolean)
}

/** Returns 0 if a word is missing. */
function scoreSection({ page, heading, text }: SearchEntry, words: readonly string[]): number {
  let sum = 0
  for (const word of words) {
    const inHeading = heading.toLowerCase().includes(word)
    const inPage = page.toLowerCase().includes(word)
    const count = text.toLowerCase().split(word).length - 1
    if (!inHeading && !inPage && count === 0) return 0
    sum += (inHeading ? 10 : 0) + (inPage ? 5 : 0) + Math.min(count, 4)
  }
  return sum
}

/** Returns the text around the first word, cut at spaces. */
function cutExcerpt(text: string, words: readonly string[]): string {
  const places = words.map(word => text.toLowerCase().indexOf(word)).filter(at => at >= 0)
  const first = places.length > 0 ? Math.min(...places) : 0
  const start = first < 60 ? 0 : text.lastIndexOf(' ', first - 40) + 1
  const max = start + excerptChars
  const lastSpace = text.lastIndexOf(' ', max)
  const end = max >= text.length ? text.length : lastSpace > start ? lastSpace : max
  return `${start > 0 ? '… ' : ''}${text.slice(start, end)}${end < text.length ? ' …' : ''}`
}
