import { findPlace } from './find-place.ts'
import type { Scores } from './find-word.ts'
import type { SearchDirectory } from './index-format.ts'

/** A page and its sections, best first. */
export interface RankedPage {
  page: number
  score: number
  sections: { section: number; score: number }[]
}

interface PageScores {
  /** The best score of each word. */
  best: number[]
  /** By section, the score of each word. */
  sections: Map<number, number[]>
}

/**
 * Ranks the pages that contain all words. If no page does, ranks the pages that contain the most words.
 *
 * @param firsts the first section of each page.
 * @param found scores of each word.
 * @param language language of the page with the search dialog. Pages in other languages rank lower.
 */
export function rankPages(
  directory: SearchDirectory,
  firsts: readonly number[],
  found: readonly Scores[],
  language: string,
): RankedPage[] {
  // Words that occur in at least half of the sections are optional.
  const isOptional = (scores: Scores) => scores.size >= directory.sections / 2 && scores.size > 0
  const ranked = Array.from(gatherByPage(firsts, found), ([page, scores]) => {
    const words = found.filter((word, index) => (scores.best[index] ?? 0) > 0 || isOptional(word)).length
    const pageLanguage = directory.pages[page]?.[2]
    const share = language && pageLanguage && pageLanguage !== language ? 0.4 : 1
    const sections = rankSections(scores, share)
    return { page, words, score: sections[0]?.score ?? 0, sections }
  })
  const maxWords = Math.max(0, ...ranked.map(({ words }) => words))
  return ranked.filter(({ words }) => words === maxWords).sort((a, b) => b.score - a.score || a.page - b.page)
}

function gatherByPage(firsts: readonly number[], found: readonly Scores[]): Map<number, PageScores> {
  const pages = new Map<number, PageScores>()
  for (const [word, scores] of found.entries()) {
    for (const [section, score] of scores) {
      const number = findPlace(firsts, section)
      let page = pages.get(number)
      if (!page) {
        page = { best: found.map(() => 0), sections: new Map() }
        pages.set(number, page)
      }
      page.best[word] = Math.max(page.best[word] ?? 0, score)
      const own = page.sections.get(section) ?? found.map(() => 0)
      own[word] = score
      page.sections.set(section, own)
    }
  }
  return pages
}

/** Ranks sections. Sections with all words rank higher, and words in other sections of the page add a little. */
function rankSections({ best, sections }: PageScores, share: number): RankedPage['sections'] {
  const scored = Array.from(sections, ([section, own]) => {
    const bonus = own.every(score => score > 0) ? 1.25 : 1
    const score = own.reduce((sum, score, word) => sum + (score || (best[word] ?? 0) * 0.2), 0)
    return { section, score: score * bonus * share }
  })
  return scored.sort((a, b) => b.score - a.score || a.section - b.section)
}
