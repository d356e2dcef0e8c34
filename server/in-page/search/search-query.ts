import { findPlace } from './find-place.ts'
import type { IndexLoader, SearchDirectory } from './index-format.ts'
import { findMarks, type Mark, type MarkedText, markText } from './marked-text.ts'
import { readPostings } from './postings.ts'
import { type QuestionWord, readQuestion } from './question.ts'
import type { TermReader } from './search-terms.ts'

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

interface FoundWord {
  word: QuestionWord
  scores: Scores
}

/** Limits the files loaded for a short prefix, which many words share. */
const maxWordFiles = 4

/** Finds a word in the index. If the word is a name that no section contains, finds its parts. */
async function findWord(directory: SearchDirectory, load: IndexLoader, word: QuestionWord): Promise<FoundWord[]> {
  const { parts, isPrefix } = word
  const scores = await findTerm(directory, load, word)
  if (scores.size > 0 || parts.length === 0) return [{ word, scores }]
  const words = parts.map((term, index) => ({ term, parts: [], isPrefix: isPrefix && index === parts.length - 1 }))
  return Promise.all(words.map(async part => ({ word: part, scores: await findTerm(directory, load, part) })))
}

async function findTerm(
  directory: SearchDirectory,
  load: IndexLoader,
  { term, isPrefix }: QuestionWord,
): Promise<Scores> {
  const scores: Scores = new Map()
  const from = Math.max(0, findPlace(directory.words, term))
  const to = isPrefix ? findPlace(directory.words, `${term}\uffff`) : from
  const numbers = Array.from({ length: Math.min(to - from + 1, maxWordFiles) }, (_, index) => from + index)
  for (const lines of await Promise.all(numbers.map(number => load('words', number)))) {
    for (const line of lines.split(',')) {
      if (!line.startsWith(term)) continue
      const space = line.indexOf(' ')
      if (space !== term.length && !isPrefix) continue
      const share = space === term.length ? 1 : 0.2 + (0.6 * term.length) / space
      addScores(scores, line.slice(space + 1), directory.sections, share)
    }
  }
  return scores
}

function addScores(scores: Scores, written: string, sections: number, share: number): void {
  const postings = readPostings(written)
  const rarity = Math.log(1 + (sections - postings.length + 0.5) / (postings.length + 0.5))
  for (const [section, weight] of postings)
    scores.set(section, Math.max(scores.get(section) ?? 0, weight * rarity * share))
}

/** A page and its sections, best first. */
interface RankedPage {
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
function rankPages(
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

/** Scores by section. */
type Scores = Map<number, number>

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

const snippetChars = 150
/** Max characters of a text in which marks are found. */
const maxMarkedChars = 100_000

/** Returns the part of a text that contains the most words, cut at spaces. */
function cutSnippet(reader: TermReader, whole: string, words: readonly QuestionWord[]): MarkedText {
  const text = whole.slice(0, maxMarkedChars)
  const marks = findMarks(reader, text, words)
  const from = findStart(text, findDensest(text, marks))
  const to = findEnd(text, from)
  const pieces = markText(text, marks, from, to)
  if (from > 0) pieces.unshift({ text: '… ', isMark: false })
  if (to < whole.length) pieces.push({ text: ' …', isMark: false })
  return pieces
}

/** Returns the start of the first mark whose snippet would contain the most distinct words. */
function findDensest(text: string, marks: readonly Mark[]): number {
  let from = 0
  let max = 0
  for (const [index, [start]] of marks.entries()) {
    const seen = new Set<string>()
    for (let at = index; at < marks.length; at += 1) {
      const [begin, end] = marks[at] ?? [0, 0]
      if (end > start + snippetChars - 30) break
      seen.add(text.slice(begin, end).toLowerCase())
    }
    if (seen.size > max) {
      max = seen.size
      from = start
    }
  }
  return from
}

function findStart(text: string, from: number): number {
  if (from <= 30) return 0
  const space = text.indexOf(' ', from - 40)
  return space !== -1 && space < from ? space + 1 : Math.max(0, from - 30)
}

function findEnd(text: string, from: number): number {
  const to = Math.min(text.length, from + snippetChars)
  const space = to < text.length ? text.lastIndexOf(' ', to) : -1
  return space > from + snippetChars / 2 ? space : to
}
