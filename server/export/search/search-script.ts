import { createSearchDialog, type SearchDialogSettings } from './search-dialog.ts'
import { openSearchEntrances } from './search-entrances.ts'
import { maxWeight, numberSigns } from './search-index.ts'
import { createSearch, type IndexLoader, type SearchSettings } from './search-query.ts'
import { searchStyle } from './search-style.ts'
import { createTermReader } from './search-terms.ts'

/** The script that every page loads: it looks for entrances at once, and for the index at the first use. */
export function searchScript(): string {
  const parts = { createTermReader, createSearch, createSearchDialog, openSearchEntrances }
  const written = Object.entries(parts).map(([name, part]) => `${name}:${part}`)
  const settings = { numberSigns, maxWeight, css: searchStyle.trim() }
  return toAscii(`(${startSearch})({${written}},${JSON.stringify(settings)})\n`)
}

type Parts = {
  createTermReader: typeof createTermReader
  createSearch: typeof createSearch
  createSearchDialog: typeof createSearchDialog
  openSearchEntrances: typeof openSearchEntrances
}

/** Runs inside pages of a bundle, sent there as text. */
function startSearch(parts: Parts, settings: SearchSettings & Pick<SearchDialogSettings, 'css'>): void {
  const me = document.currentScript
  if (!(me instanceof HTMLScriptElement)) return
  const { src, nonce } = me
  const isInstead = me.dataset.quireSearch === 'instead'
  me.remove()
  const root = new URL('..', src).href
  const waiting = new Map<string, (data: unknown) => void>()
  const loaded = new Map<string, Promise<unknown>>()
  let build = ''

  // What the files of the index call. Pages on file:// may load scripts, and read nothing else.
  Object.defineProperty(window, '__quireSearch', {
    value(kind: string, number: number, data: unknown) {
      if (kind === 'directory') ({ build } = data as { build: string })
      waiting.get(`${kind}-${number}`)?.(data)
    },
  })

  function loadFile(kind: string, number: number): Promise<unknown> {
    const key = `${kind}-${number}`
    const before = loaded.get(key)
    if (before) return before
    const file = new Promise<unknown>((done, failed) => {
      waiting.set(key, done)
      const script = document.createElement('script')
      // Another bundle at the same address must not be mixed with this one by a cache.
      const version = build !== '' && location.protocol !== 'file:' ? `?${build}` : ''
      script.src = `${root}_quire/search/${kind === 'directory' ? kind : key}.js${version}`
      if (nonce) script.nonce = nonce
      script.onload = () => {
        script.remove()
        failed(new Error(`${script.src} is no part of the index`))
      }
      script.onerror = () => {
        script.remove()
        loaded.delete(key)
        failed(new Error(`${script.src} could not be loaded`))
      }
      ;(document.head ?? document.documentElement).append(script)
    })
    loaded.set(key, file)
    return file
  }

  const begin = () => {
    const search = parts.createSearch(parts.createTermReader(), loadFile as IndexLoader, settings)
    const language = document.documentElement.lang.toLowerCase().split('-')[0] ?? ''
    const find = (question: string) => search.find(question, language)
    parts.openSearchEntrances(parts.createSearchDialog({ css: settings.css, root, find }), isInstead)
  }
  if (document.readyState === 'loading') addEventListener('DOMContentLoaded', begin)
  else begin()
}

/** It stands in pages of any encoding. Outside of strings and expressions there is nothing but ASCII. */
function toAscii(script: string): string {
  return script.replace(/[^\0-\x7f]/g, sign => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
