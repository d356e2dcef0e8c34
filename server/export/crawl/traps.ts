import { keepSmallestKeys } from '../../base/bounded-map.ts'
import { readPageWords } from '../../web/html/page-text.ts'
import type { Resource } from '../model/resource.ts'
import { isTellingQuery, linkKey, queryKey } from '../model/site.ts'
import { readSpan } from '../pages/page-work.ts'

/**
 * Recognises series of pages without end, such as the months of a calendar: their addresses differ only in numbers, they are
 * reached only from each other, and they show no new text.
 */
export interface Traps {
  /** Called before each generation of pages. What a generation shows counts from the next one on, in any order of the answers. */
  beginGeneration(): void
  /** Notes a page. Returns whether it shows only words that the pages before it in its series have. */
  repeats(page: Resource): Promise<boolean>
  /** Decides whether a link of such a page is not followed, because it leads on in a series without end. */
  refuses(url: URL): boolean
  /** Returns the keys of the first 1,000 refused pages, sorted. */
  refused(): string[]
}

/** Generations before the pages of a series are read: a usual page is reached with fewer clicks. */
const usualGenerations = 6
/** Pages of a series before they are read. */
const minPages = 10
/** So many pages in a row without new text make a series endless. */
const maxInRow = 300
/** Fewer new words are a name, such as that of a month. */
const minNewWords = 3
const maxRefused = 1000

interface Series {
  pages: number
  words: Set<string>
  /** Pages without new text since the last page with some. */
  inRow: number
  /** What the current generation adds. */
  added: { pages: number; words: Set<string>; repeats: number; hasNew: boolean }
}

const nothingAdded = (): Series['added'] => ({ pages: 0, words: new Set(), repeats: 0, hasNew: false })

export function createTraps(): Traps {
  const all = new Map<string, Series>()
  const touched = new Set<Series>()
  const refused = new Map<string, null>()
  let generation = 0

  function findSeries(key: string): Series | null {
    const name = seriesOf(key)
    if (name === null) return null
    const series = all.get(name) ?? { pages: 0, words: new Set(), inRow: 0, added: nothingAdded() }
    all.set(name, series)
    return series
  }

  return {
    beginGeneration() {
      generation += 1
      for (const series of touched) {
        const { pages, words, repeats, hasNew } = series.added
        series.pages += pages
        series.inRow = hasNew ? 0 : series.inRow + repeats
        for (const word of words) series.words.add(word)
        series.added = nothingAdded()
      }
      touched.clear()
    },
    async repeats({ key, span, charset }) {
      const series = findSeries(key)
      if (!series) return false
      touched.add(series)
      const { added } = series
      added.pages += 1
      if (generation <= usualGenerations || series.pages < minPages || !span) return false
      const text = (await readSpan(span)).toString('latin1')
      const fresh = new Set(
        readPageWords({ text, charset })
          .map(bareWord)
          .filter(word => !series.words.has(word)),
      )
      for (const word of fresh) added.words.add(word)
      if (fresh.size >= minNewWords) added.hasNew = true
      else added.repeats += 1
      return fresh.size < minNewWords
    },
    refuses(url) {
      const key = isTellingQuery(url) ? queryKey(url) : linkKey(url)
      const series = all.get(seriesOf(key) ?? '')
      if (!series || series.inRow < maxInRow) return false
      refused.set(key, null)
      keepSmallestKeys(refused, maxRefused)
      return true
    },
    refused: () => [...refused.keys()].sort().slice(0, maxRefused),
  }
}

/** Returns the name of the pages whose addresses differ only in their numbers; null for an address without one. */
function seriesOf(key: string): string | null {
  const { pathname, search } = new URL(key)
  const name = bareWord(pathname + search)
  return name.includes('#') ? name : null
}

/** Replaces numbers, also hexadecimal ones. */
function bareWord(word: string): string {
  return word.toLowerCase().replaceAll(/[\da-f]+/g, run => (/\d/.test(run) ? '#' : run))
}
