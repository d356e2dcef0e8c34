// Runs inside pages of a bundle, sent there as text: it stands for itself, with nothing from outside but its parameters.
import type { SearchDirectory, SearchText } from './search-index.ts'
import type { TermReader } from './search-terms.ts'

/** Gets a part of the index. */
export interface IndexLoader {
  (kind: 'directory', number: 0): Promise<SearchDirectory>
  (kind: 'words', number: number): Promise<string>
  (kind: 'text', number: number): Promise<SearchText[]>
}

/** A text in pieces; `isMark` = it is what was asked for. */
export type MarkedText = { text: string; isMark: boolean }[]

/** A section that has what was asked for. */
export interface SearchHit {
  /** Of the page in the bundle. */
  path: string
  /** Empty = the top of the page. */
  anchor: string
  page: MarkedText
  /** Empty at the top of the page. */
  heading: MarkedText
  snippet: MarkedText
}

export interface SearchSettings {
  numberSigns: string
  maxWeight: number
}

/** Searches an index: all words of the question in one page, else as many as there are; the last may be unfinished. */
export function createSearch(reader: TermReader, load: IndexLoader, settings: SearchSettings) {
  const maxWords = 12
  const maxHits = 20
  const maxHitsOfPage = 3
  // A short beginning is had by many words: the first files of them will do.
  const maxFiles = 4
  const snippetChars = 150
  const readChars = 100_000
  const values = new Map(Array.from(settings.numberSigns, (sign, value) => [sign, value]))
  const firsts: number[] = []
  const names = new Map<string, number>()

  interface Word {
    term: string
    parts: string[]
    isPrefix: boolean
  }
  /** Scores by section. */
  type Scores = Map<number, number>

  function readQuestion(question: string): Word[] {
    const found: Word[] = []
    for (const { term, end, isPart } of reader.read(question)) {
      const last = found.at(-1)
      if (isPart) last?.parts.push(term)
      else if (found.length < maxWords) found.push({ term, parts: [], isPrefix: end === question.length })
    }
    // Asked for twice is asked for once.
    return found.filter(({ term }, index) => !found.some((other, at) => at > index && other.term === term))
  }

  /** The last of ascending values that is not after `value`. */
  function findPlace<T>(ascending: readonly T[], value: T): number {
    let low = 0
    let high = ascending.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ascending[middle] as T) <= value) low = middle + 1
      else high = middle
    }
    return low - 1
  }

  function addScores(scores: Scores, written: string, sections: number, share: number) {
    const found: [number, number][] = []
    let section = 0
    for (let at = 0; at < written.length; ) {
      for (let distance = 0, unit = 1; ; unit *= 32) {
        const value = values.get(written.charAt(at++)) ?? 0
        distance += (value % 32) * unit
        if (value > 31) continue
        section += distance
        break
      }
      found.push([section, ((values.get(written.charAt(at++)) ?? 0) / 63) ** 2 * settings.maxWeight])
    }
    const rarity = Math.log(1 + (sections - found.length + 0.5) / (found.length + 0.5))
    for (const [section, weight] of found)
      scores.set(section, Math.max(scores.get(section) ?? 0, weight * rarity * share))
  }

  async function findTerm(directory: SearchDirectory, term: string, isPrefix: boolean): Promise<Scores> {
    const scores: Scores = new Map()
    const from = Math.max(0, findPlace(directory.words, term))
    const to = isPrefix ? findPlace(directory.words, `${term}\uffff`) : from
    const numbers = Array.from({ length: Math.min(to - from + 1, maxFiles) }, (_, index) => from + index)
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

  /** A name that no section has is asked for by its parts. */
  async function findWord(directory: SearchDirectory, asked: Word): Promise<{ word: Word; scores: Scores }[]> {
    const { term, parts, isPrefix } = asked
    const scores = await findTerm(directory, term, isPrefix)
    if (scores.size > 0 || parts.length === 0) return [{ word: asked, scores }]
    const words = parts.map((part, index) => ({
      term: part,
      parts: [],
      isPrefix: isPrefix && index === parts.length - 1,
    }))
    return Promise.all(words.map(async word => ({ word, scores: await findTerm(directory, word.term, word.isPrefix) })))
  }

  /** Sections by page with their scores, best first. */
  function rank(directory: SearchDirectory, found: Scores[], language: string) {
    const isRare = (scores: Scores) => scores.size < directory.sections / 2
    const pages = new Map<number, { best: number[]; sections: Map<number, number[]> }>()
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
    const ranked: { page: number; words: number; score: number; sections: { section: number; score: number }[] }[] = []
    for (const [number, { best, sections }] of pages) {
      // Words that most sections have need not be in a page.
      const words = found.filter(
        (scores, word) => (best[word] ?? 0) > 0 || !(isRare(scores) || scores.size === 0),
      ).length
      const foreign = directory.pages[number]?.[2]
      const share = language && foreign && foreign !== language ? 0.4 : 1
      const scored = Array.from(sections, ([section, own]) => {
        const whole = own.every(score => score > 0) ? 1.25 : 1
        const score = own.reduce((sum, score, word) => sum + (score || (best[word] ?? 0) * 0.2), 0)
        return { section, score: score * whole * share }
      })
      scored.sort((a, b) => b.score - a.score || a.section - b.section)
      ranked.push({ page: number, words, score: scored[0]?.score ?? 0, sections: scored })
    }
    const most = Math.max(0, ...ranked.map(({ words }) => words))
    return ranked.filter(({ words }) => words === most).sort((a, b) => b.score - a.score || a.page - b.page)
  }

  /** Where the words stand in a text; what overlaps is one. */
  function findMarks(text: string, words: readonly Word[]): [number, number][] {
    const marks: [number, number][] = []
    for (const { term, start, end } of reader.read(text)) {
      const isAsked = words.some(word => term === word.term || (word.isPrefix && term.startsWith(word.term)))
      const last = marks.at(-1)
      if (!isAsked) continue
      if (last && start < last[1]) last[1] = Math.max(last[1], end)
      else marks.push([start, end])
    }
    return marks
  }

  function mark(text: string, marks: readonly [number, number][], from = 0, to = text.length): MarkedText {
    const pieces: MarkedText = []
    const add = (start: number, end: number, isMark: boolean) => {
      if (end > start) pieces.push({ text: text.slice(start, end), isMark })
    }
    let at = from
    for (const [start, end] of marks) {
      if (start < from || end > to) continue
      add(at, start, false)
      add(start, end, true)
      at = end
    }
    add(at, to, false)
    return pieces
  }

  /** With its place where others have the same name. */
  function namePage(name: string, path: string, words: readonly Word[]): MarkedText {
    const place = path.replace(/(^|\/)index\.html$/, '').replace(/\.html$/, '')
    const isShared = place !== '' && (names.get(name) ?? 0) > 1
    return [...mark(name, findMarks(name, words)), ...(isShared ? [{ text: ` \u00b7 ${place}`, isMark: false }] : [])]
  }

  /** The stretch with most of the marks, cut at spaces. */
  function cut(whole: string, words: readonly Word[]): MarkedText {
    const text = whole.slice(0, readChars)
    const marks = findMarks(text, words)
    let from = 0
    let most = 0
    for (const [index, [start]] of marks.entries()) {
      const seen = new Set<string>()
      for (let at = index; at < marks.length; at += 1) {
        const [begin, end] = marks[at] ?? [0, 0]
        if (end > start + snippetChars - 30) break
        seen.add(text.slice(begin, end).toLowerCase())
      }
      if (seen.size > most) {
        most = seen.size
        from = start
      }
    }
    if (from > 30) {
      const space = text.indexOf(' ', from - 40)
      from = space !== -1 && space < from ? space + 1 : Math.max(0, from - 30)
    } else from = 0
    let to = Math.min(text.length, from + snippetChars)
    const space = to < text.length ? text.lastIndexOf(' ', to) : -1
    if (space > from + snippetChars / 2) to = space
    const pieces = mark(text, marks, from, to)
    if (from > 0) pieces.unshift({ text: '… ', isMark: false })
    if (to < whole.length) pieces.push({ text: ' …', isMark: false })
    return pieces
  }

  return {
    /** @param language of the page that asks; pages in others come later. */
    async find(question: string, language = ''): Promise<SearchHit[]> {
      const asked = readQuestion(question)
      const directory = await load('directory', 0)
      if (asked.length === 0) return []
      if (firsts.length === 0) {
        let first = 0
        for (const [, name, , sections] of directory.pages) {
          names.set(name, (names.get(name) ?? 0) + 1)
          firsts.push(first)
          first += sections
        }
      }
      const found = (await Promise.all(asked.map(word => findWord(directory, word)))).flat()
      const words = found.map(({ word }) => word)
      const scores = found.map(each => each.scores)
      const places = rank(directory, scores, language).flatMap(({ page, score, sections }) =>
        sections
          .filter((section, index) => index < maxHitsOfPage && section.score >= score * 0.6)
          .map(({ section }) => ({ page, section })),
      )
      return Promise.all(
        places.slice(0, maxHits).map(async ({ page, section }) => {
          const [path = '', name = ''] = directory.pages[page] ?? []
          const file = findPlace(directory.texts, section)
          const texts = await load('text', file)
          const [heading = '', anchor = '', text = ''] = texts[section - (directory.texts[file] ?? 0)] ?? []
          const isTop = section === firsts[page]
          return {
            path,
            anchor,
            page: namePage(name, path, words),
            heading: isTop ? [] : mark(heading, findMarks(heading, words)),
            snippet: cut(text, words),
          }
        }),
      )
    },
  }
}
