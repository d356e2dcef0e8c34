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

/**
 * Finds the sections that hold every word of the question, the best first: a word in the heading counts more than one in the
 * title of the page, and that more than one in the text. It runs in the search page, sent there as text, so it uses nothing
 * from outside.
 */
export function findSections(entries: readonly SearchEntry[], question: string): Found[] {
  const maxFound = 30
  const words = question.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []

  function score({ page, heading, text }: SearchEntry): number {
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

  function excerpt({ text }: SearchEntry): string {
    const places = words.map(word => text.toLowerCase().indexOf(word)).filter(at => at >= 0)
    const first = places.length > 0 ? Math.min(...places) : 0
    const start = first < 60 ? 0 : text.lastIndexOf(' ', first - 40) + 1
    const lastSpace = text.lastIndexOf(' ', start + 180)
    const end = start + 180 >= text.length ? text.length : lastSpace > start ? lastSpace : start + 180
    return `${start > 0 ? '\u2026 ' : ''}${text.slice(start, end)}${end < text.length ? ' \u2026' : ''}`
  }

  return entries
    .map(entry => ({ entry, score: score(entry) }))
    .filter(each => each.score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, maxFound)
    .map(({ entry }) => ({ entry, excerpt: excerpt(entry) }))
}
