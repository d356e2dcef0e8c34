import { createHash } from 'node:crypto'
import type { SearchDirectory, SearchText } from '../../in-page/search/index-format.ts'
import { toEntry, writePostings } from '../../in-page/search/postings.ts'
import { createTermReader, type TermReader } from '../../in-page/search/search-terms.ts'
import type { PageSections } from './page-sections.ts'

/** A script file of the index. When a page loads the script, the script passes its part of the index to the search. */
export interface IndexFile {
  name: string
  content: string
}

export interface SearchIndex {
  /** Adds the next page. Returns the files that are complete. */
  add(path: string, page: PageSections): IndexFile[]
  /** Returns the remaining files, the directory of all files and the number of terms. */
  finish(): { files: IndexFile[]; directory: SearchDirectory; terms: number }
}

/**
 * Size of a file that a browser loads: small enough to load at a keystroke, large enough to keep the number of files low.
 */
const wordFileChars = 48 * 1024
const textFileChars = 24 * 1024

/** Max indexed characters of a section. A person does not read longer text. */
const maxSectionChars = 1_000_000

/**
 * Creates an index in parts: files of sorted terms, with the sections and weights of each term; files of texts, for showing
 * hits; and a directory of both. The same pages give the same bytes.
 */
export function createSearchIndex(): SearchIndex {
  const reader = createTermReader()
  /** Ascending entries, by term. */
  const postings = new Map<string, number[]>()
  const directory: SearchDirectory = { build: '', sections: 0, pages: [], words: [], texts: [] }
  const hash = createHash('sha256')
  const texts = createTextFiles(directory)

  function sign(file: IndexFile): IndexFile {
    hash.update(file.content)
    return file
  }

  return {
    add(path, page) {
      const files: IndexFile[] = []
      directory.pages.push([path, page.name, page.language, page.sections.length])
      for (const [index, { anchor, heading, text: whole }] of page.sections.entries()) {
        const text = whole.slice(0, maxSectionChars)
        const titles = index === 0 ? [page.name, page.title] : []
        for (const [term, weight] of weighSection(reader, { text, heading, titles })) {
          const list = postings.get(term)
          const entry = toEntry(directory.sections, weight)
          if (list) list.push(entry)
          else postings.set(term, [entry])
        }
        directory.sections += 1
        files.push(...texts.add([heading, anchor, text]).map(sign))
      }
      return files
    },
    finish() {
      const files = [...texts.end(), ...writeWordFiles(postings, directory)].map(sign)
      directory.build = hash.digest('hex').slice(0, 12)
      files.push({ name: 'directory.js', content: indexScript('directory', 0, directory) })
      return { files, directory, terms: postings.size }
    },
  }
}

/** Collects texts of sections into files, and lists the files in the directory. */
function createTextFiles(directory: SearchDirectory) {
  let texts: SearchText[] = []
  let chars = 0

  function end(): IndexFile[] {
    if (texts.length === 0) return []
    const file = toFile('text', directory.texts.length, texts)
    directory.texts.push(directory.sections - texts.length)
    texts = []
    chars = 0
    return [file]
  }

  return {
    /** Adds the text of the last section of the directory. */
    add(text: SearchText): IndexFile[] {
      texts.push(text)
      for (const part of text) chars += part.length
      return chars > textFileChars ? end() : []
    },
    end,
  }
}

/** Writes sorted terms into files, and lists the files in the directory. */
function writeWordFiles(postings: ReadonlyMap<string, number[]>, directory: SearchDirectory): IndexFile[] {
  const files: IndexFile[] = []
  let lines: string[] = []
  let chars = 0
  const endFile = () => {
    if (lines.length > 0) files.push(toFile('words', directory.words.length - 1, lines.join(',')))
    lines = []
    chars = 0
  }
  for (const [term, entries] of [...postings].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (lines.length === 0) directory.words.push(term)
    const line = `${term} ${writePostings(entries)}`
    lines.push(line)
    chars += line.length
    if (chars > wordFileChars) endFile()
  }
  endFile()
  return files
}

function toFile(kind: 'words' | 'text', number: number, data: unknown): IndexFile {
  return { name: `${kind}-${number}.js`, content: indexScript(kind, number, data) }
}

/** Returns an index script. Its byte order mark makes it UTF-8 in pages of any encoding. */
function indexScript(kind: string, number: number, data: unknown): string {
  return `\ufeff__quireSearch(${JSON.stringify(kind)},${number},${JSON.stringify(data)})\n`
}

/** The indexed parts of a section. */
interface IndexedSection {
  text: string
  heading: string
  /** Name and title of the page for its first section; empty for other sections. */
  titles: string[]
}

/** Usual lengths in terms. In longer texts and headings, each term counts less. */
const usualText = 120
const usualHeading = 3

/** Returns the weight of each term in a section: by BM25 in the text, more in the heading, most in the name of the page. */
function weighSection(reader: TermReader, { text, heading, titles }: IndexedSection): Map<string, number> {
  const weights = weighText(reader, text)
  const addField = (field: string, weight: number) => {
    const terms = reader.read(field)
    const length = terms.filter(({ isPart }) => !isPart).length
    const share = (weight * 2) / (1 + length / usualHeading)
    const whole = new Map<string, boolean>()
    for (const { term, isPart } of terms) whole.set(term, whole.get(term) || !isPart)
    for (const [term, isWhole] of whole) weights.set(term, (weights.get(term) ?? 0) + (isWhole ? share : share / 2))
  }
  const [name, title] = titles
  if (name !== undefined) addField(name, 3)
  if (title !== undefined) addField(title, 0.5)
  if (name === undefined) addField(heading, 1.4)
  return weights
}

function weighText(reader: TermReader, text: string): Map<string, number> {
  const counts = new Map<string, number>()
  let length = 0
  reader.visit(text, term => {
    length += 1
    counts.set(term, (counts.get(term) ?? 0) + 1)
  })
  const norm = 1.2 * (0.4 + (0.6 * length) / usualText)
  for (const [term, count] of counts) counts.set(term, count / (count + norm))
  return counts
}
