import { findPlace } from './find-place.ts'
import { findWord } from './find-word.ts'
import type { IndexLoader, SearchDirectory } from './index-format.ts'
import { findMarks, type MarkedText, markText } from './marked-text.ts'
import { readQuestion } from './question.ts'
import { type RankedPage, rankPages } from './rank-pages.ts'
import type { TermReader } from './search-terms.ts'
import { cutSnippet } from './snippet.ts'

/** A section that matches a question. */
export interface SearchHit {
  /** Path of the page in the bundle. */
  path: string
  /** Empty = the top of the page. */
  anchor: string
  page: MarkedText
  /** Empty at the top of the page. */
  heading: MarkedText
  snippet: MarkedText
}

export interface Search {
  /** @param language language of the page with the search dialog. Pages in other languages rank lower. */
  find(question: string, language?: string): Promise<SearchHit[]>
}

interface PageNumbers {
  /** The first section of each page. */
  firsts: number[]
  /** The number of pages with each name. */
  names: Map<string, number>
}

const maxHits = 20
const maxHitsOfPage = 3

/**
 * Creates a search for the pages that contain all words of a question. If no page does, it finds the pages with the most
 * words.
 */
export function createSearch(reader: TermReader, load: IndexLoader): Search {
  let numbers: PageNumbers | null = null

  return {
    async find(question, language = '') {
      const words = readQuestion(reader, question)
      const directory = await load('directory', 0)
      if (words.length === 0) return []
      numbers ??= numberPages(directory)
      const { firsts, names } = numbers
      const found = (await Promise.all(words.map(word => findWord(directory, load, word)))).flat()
      const ranked = rankPages(
        directory,
        firsts,
        found.map(({ scores }) => scores),
        language,
      )
      const foundWords = found.map(({ word }) => word)
      const mark = (text: string) => markText(text, findMarks(reader, text, foundWords))
      return Promise.all(
        pickSections(ranked).map(async ({ page, section }) => {
          const [path = '', name = ''] = directory.pages[page] ?? []
          const [heading = '', anchor = '', text = ''] = await loadSection(directory, load, section)
          return {
            path,
            anchor,
            page: [...mark(name), ...writePlace(path, names.get(name) ?? 0)],
            heading: section === firsts[page] ? [] : mark(heading),
            snippet: cutSnippet(reader, text, foundWords),
          }
        }),
      )
    },
  }
}

function numberPages({ pages }: SearchDirectory): PageNumbers {
  const firsts: number[] = []
  const names = new Map<string, number>()
  let first = 0
  for (const [, name, , sections] of pages) {
    names.set(name, (names.get(name) ?? 0) + 1)
    firsts.push(first)
    first += sections
  }
  return { firsts, names }
}

function pickSections(ranked: readonly RankedPage[]): { page: number; section: number }[] {
  const picked = ranked.flatMap(({ page, score, sections }) =>
    sections
      .filter((section, index) => index < maxHitsOfPage && section.score >= score * 0.6)
      .map(({ section }) => ({ page, section })),
  )
  return picked.slice(0, maxHits)
}

async function loadSection(directory: SearchDirectory, load: IndexLoader, section: number): Promise<string[]> {
  const file = findPlace(directory.texts, section)
  const texts = await load('text', file)
  return texts[section - (directory.texts[file] ?? 0)] ?? []
}

/** Returns the path of a page if another page has the same name. */
function writePlace(path: string, pagesOfName: number): MarkedText {
  const place = path.replace(/(^|\/)index\.html$/, '').replace(/\.html$/, '')
  return place !== '' && pagesOfName > 1 ? [{ text: ` \u00b7 ${place}`, isMark: false }] : []
}
