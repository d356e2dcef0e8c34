import { createIndexLoader } from './index-files.ts'
import { createSearchDialog } from './search-dialog.ts'
import { openSearchEntrances } from './search-entrances.ts'
import { createSearch } from './search-query.ts'
import { createTermReader } from './search-terms.ts'

/** Runs in every page with a search. Finds search fields and buttons at once, and loads the index on first use. */
export default function startSearch(): void {
  const script = document.currentScript
  if (!(script instanceof HTMLScriptElement)) return
  const { src, nonce = '' } = script
  const isInstead = script.dataset.quireSearch === 'instead'
  script.remove()
  const root = new URL('..', src).href
  const load = createIndexLoader({ root, nonce })

  const start = () => {
    const search = createSearch(createTermReader(), load)
    const language = document.documentElement.lang.toLowerCase().split('-')[0] ?? ''
    const find = (question: string) => search.find(question, language)
    openSearchEntrances(createSearchDialog({ root, find }), isInstead)
  }
  if (document.readyState === 'loading') addEventListener('DOMContentLoaded', start)
  else start()
}
