import { createHash } from 'node:crypto'
import type { PageSections } from './page-sections.ts'
import { createTermReader, type TermReader } from './search-terms.ts'

/** What a search has to know before it looks anything up. */
export interface SearchDirectory {
  /** Changes with the content of the index. */
  build: string
  /** Sections of all pages; they are numbered through. */
  sections: number
  /** Path in the bundle, name, language, how many sections: in the order of their sections. */
  pages: [string, string, string, number][]
  /** The first term of each file of words. */
  words: string[]
  /** The first section of each file of texts. */
  texts: number[]
}

/** Heading, anchor and text of a section. */
export type SearchText = [string, string, string]

/** A script file of the index: it hands its part to the search that asked for it. */
export interface IndexFile {
  name: string
  content: string
}

export interface SearchIndex {
  /** Adds the next page. Gives the files that are complete. */
  add(path: string, page: PageSections): IndexFile[]
  /** The remaining files, and what is in all of them. */
  finish(): { files: IndexFile[]; directory: SearchDirectory; terms: number }
}

/** What a browser reads at once: small enough to be there at a keystroke, large enough to be few. */
const wordFileChars = 48 * 1024
const textFileChars = 24 * 1024

/** Of a section that is longer only so much is found: it is no text, or nobody has read it. */
const maxSectionChars = 1_000_000

/** Signs that a number is written with; a string of them needs no escapes. */
export const numberSigns = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-'

/** The most that one term can weigh in one section. */
export const maxWeight = 7
const weightSteps = 63

/**
 * Makes an index in parts: files of terms in their order, each with the sections that have it and what it weighs there;
 * files of texts, for what is shown of a hit; and a directory of both. The same pages give the same bytes.
 */
export function createSearchIndex(): SearchIndex {
  const reader = createTermReader()
  // By term: number of the section * 64 + weight, ascending.
  const postings = new Map<string, number[]>()
  const directory: SearchDirectory = { build: '', sections: 0, pages: [], words: [], texts: [] }
  const hash = createHash('sha256')
  let texts: SearchText[] = []
  let textChars = 0

  function toFile(kind: 'words' | 'text', number: number, data: unknown): IndexFile {
    const content = indexScript(kind, number, data)
    hash.update(content)
    return { name: `${kind}-${number}.js`, content }
  }

  function endTexts(): IndexFile[] {
    if (texts.length === 0) return []
    const file = toFile('text', directory.texts.length, texts)
    directory.texts.push(directory.sections - texts.length)
    texts = []
    textChars = 0
    return [file]
  }

  return {
    add(path, page) {
      const files: IndexFile[] = []
      directory.pages.push([path, page.name, page.language, page.sections.length])
      for (const [index, section] of page.sections.entries()) {
        const { anchor, heading } = section
        const text = section.text.slice(0, maxSectionChars)
        const titles = index === 0 ? [page.name, page.title] : []
        const weights = weighTerms(countTerms(reader, text), reader.read(heading), titles.map(reader.read))
        for (const [term, weight] of weights) {
          const list = postings.get(term)
          const entry = directory.sections * 64 + toStep(weight)
          if (list) list.push(entry)
          else postings.set(term, [entry])
        }
        texts.push([heading, anchor, text])
        textChars += heading.length + anchor.length + text.length
        directory.sections += 1
        if (textChars > textFileChars) files.push(...endTexts())
      }
      return files
    },
    finish() {
      const files = endTexts()
      let lines: string[] = []
      let chars = 0
      const endWords = () => {
        if (lines.length > 0) files.push(toFile('words', directory.words.length - 1, lines.join(',')))
        lines = []
        chars = 0
      }
      for (const [term, list] of [...postings].sort(([a], [b]) => (a < b ? -1 : 1))) {
        if (lines.length === 0) directory.words.push(term)
        const line = `${term} ${writePostings(list)}`
        lines.push(line)
        chars += line.length
        if (chars > wordFileChars) endWords()
      }
      endWords()
      directory.build = hash.digest('hex').slice(0, 12)
      files.push({ name: 'directory.js', content: indexScript('directory', 0, directory) })
      return { files, directory, terms: postings.size }
    },
  }
}

/** A byte order mark keeps it UTF-8 in pages of any encoding. */
function indexScript(kind: string, number: number, data: unknown): string {
  return `\ufeff__quireSearch(${JSON.stringify(kind)},${number},${JSON.stringify(data)})\n`
}

/** How often each term stands in a text of this length. */
type Counted = { counts: Map<string, number>; length: number }

function countTerms(reader: TermReader, text: string): Counted {
  const counts = new Map<string, number>()
  let length = 0
  reader.visit(text, term => {
    length += 1
    counts.set(term, (counts.get(term) ?? 0) + 1)
  })
  return { counts, length }
}

type Term = { term: string; isPart: boolean }

/** Usual lengths, in terms: in longer texts and headings one term says less. */
const usualText = 120
const usualHeading = 3

/** What each term weighs in a section: by BM25 in its text, more in its heading, most in the title of the page. */
function weighTerms({ counts, length }: Counted, heading: Term[], titles: Term[][]): Map<string, number> {
  const weights = new Map<string, number>()
  const norm = 1.2 * (0.4 + (0.6 * length) / usualText)
  for (const [term, count] of counts) weights.set(term, count / (count + norm))
  const addField = (terms: Term[], weight: number) => {
    const length = terms.filter(({ isPart }) => !isPart).length
    const share = (weight * 2) / (1 + length / usualHeading)
    const whole = new Map<string, boolean>()
    for (const { term, isPart } of terms) whole.set(term, whole.get(term) || !isPart)
    for (const [term, isWhole] of whole) weights.set(term, (weights.get(term) ?? 0) + (isWhole ? share : share / 2))
  }
  const [name, title] = titles
  if (name) addField(name, 3)
  if (title) addField(title, 0.5)
  if (!name) addField(heading, 1.4)
  return weights
}

/** By its root, so that small weights keep their differences. */
function toStep(weight: number): number {
  return Math.max(1, Math.round(Math.sqrt(Math.min(weight, maxWeight) / maxWeight) * weightSteps))
}

/** Each as the distance from the section before, five bits a sign with the lowest first, and one sign for the weight. */
function writePostings(list: readonly number[]): string {
  let out = ''
  let before = 0
  for (const entry of list) {
    const section = Math.floor(entry / 64)
    let distance = section - before
    before = section
    while (distance > 31) {
      out += numberSigns[(distance % 32) + 32]
      distance = Math.floor(distance / 32)
    }
    out += numberSigns.charAt(distance) + numberSigns.charAt(entry % 64)
  }
  return out
}
