// Runs inside pages: minisearch-engine.ts bundles it into one script.
import MiniSearch from 'minisearch'
import type { MarkedText } from '../../../server/in-page/search/marked-text.ts'
import { createSearchDialog } from '../../../server/in-page/search/search-dialog.ts'
import { openSearchEntrances } from '../../../server/in-page/search/search-entrances.ts'
import type { SearchHit } from '../../../server/in-page/search/search-query.ts'
import { type MiniSearchOptions, queryMiniSearch } from './minisearch-query.ts'

export interface MiniSearchSettings {
  fields: string[]
  options: MiniSearchOptions
}

/** The pages (path, name, first section), and the first section of each text file. */
export interface MiniSearchDirectory {
  pages: [path: string, name: string, first: number][]
  texts: number[]
}

const maxHits = 20
const maxHitsOfPage = 3
const snippetChars = 150

type Load = <T>(name: string) => Promise<T>
type OpenIndex = () => Promise<[MiniSearch, MiniSearchDirectory]>

/** Starts the search with MiniSearch. Like the script of Quire, it loads nothing before the first use. */
export function startMiniSearch({ fields, options }: MiniSearchSettings): void {
  const root = new URL('..', (document.currentScript as HTMLScriptElement).src).href
  const load = createLoader(root)
  let opened: ReturnType<OpenIndex> | undefined
  const open: OpenIndex = () => {
    opened ??= Promise.all([load<string>('index'), load<MiniSearchDirectory>('directory')]).then(
      ([json, directory]): [MiniSearch, MiniSearchDirectory] => [MiniSearch.loadJSON(json, { fields }), directory],
    )
    return opened
  }

  async function find(question: string): Promise<SearchHit[]> {
    const [index, directory] = await open()
    if (question.trim() === '') return []
    const places = choosePlaces(index, directory, question, options)
    return Promise.all(places.map(place => readHit(place, directory, load)))
  }

  addEventListener('DOMContentLoaded', () => openSearchEntrances(createSearchDialog({ root, find }), false))
}

/** Loads the files of the index as scripts, each once, because pages on file:// may not use fetch. */
function createLoader(root: string): Load {
  const waiting = new Map<string, (data: unknown) => void>()
  const loaded = new Map<string, Promise<unknown>>()
  Object.defineProperty(window, '__miniSearch', {
    value: (name: string, data: unknown) => waiting.get(name)?.(data),
  })

  return function load<T>(name: string): Promise<T> {
    const file =
      loaded.get(name) ??
      new Promise(done => {
        waiting.set(name, done)
        const script = document.createElement('script')
        script.src = `${root}_quire/search/${name}.js`
        document.head.append(script)
      })
    loaded.set(name, file)
    return file as Promise<T>
  }
}

/** A found section: the number of its page, and its number in the index. */
interface Place {
  page: number
  section: number
  terms: string[]
}

/** Returns the best sections, grouped by page, with a limit per page. */
function choosePlaces(
  index: MiniSearch,
  directory: MiniSearchDirectory,
  question: string,
  options: MiniSearchOptions,
): Place[] {
  const byPage = new Map<number, Place[]>()
  for (const { id, terms } of queryMiniSearch(index, question, options)) {
    const page = directory.pages.findLastIndex(([, , first]) => first <= id)
    const sections = byPage.get(page) ?? []
    if (sections.length < maxHitsOfPage) sections.push({ page, section: id, terms })
    byPage.set(page, sections)
    if (byPage.size > maxHits) break
  }
  return [...byPage.values()].flat().slice(0, maxHits)
}

async function readHit(
  { page, section, terms }: Place,
  directory: MiniSearchDirectory,
  load: Load,
): Promise<SearchHit> {
  const [path, name, first] = directory.pages[page] as MiniSearchDirectory['pages'][number]
  const file = directory.texts.findLastIndex(start => start <= section)
  const texts = await load<[string, string, string][]>(`text-${file}`)
  const [heading, anchor, text] = texts[section - (directory.texts[file] ?? 0)] ?? ['', '', '']
  return {
    path,
    anchor,
    page: mark(name, terms),
    heading: section === first ? [] : mark(heading, terms),
    snippet: cut(text, terms),
  }
}

function mark(text: string, terms: string[]): MarkedText {
  const asked = terms.map(term => term.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')
  return text
    .split(new RegExp(`(${asked})`, 'gi'))
    .map((piece, at) => ({ text: piece, isMark: at % 2 === 1 }))
    .filter(piece => piece.text !== '')
}

function cut(text: string, terms: string[]): MarkedText {
  const lower = text.toLowerCase()
  const places = terms.map(term => lower.indexOf(term)).filter(at => at !== -1)
  const from = Math.max(0, Math.min(...places, text.length) - 30)
  return mark(text.slice(from, from + snippetChars), terms)
}
