import type { DialogElements } from './dialog-elements.ts'
import { createText, type HitList } from './hit-list.ts'
import type { SearchHit } from './search-query.ts'

export interface LiveSearch {
  /** Searches for the text of the input field now. */
  search(): Promise<void>
  /** Searches after a short pause. A search at every key would load index files for unfinished words. */
  searchSoon(): void
  /** Calls back with the selected hit. If a search is running, waits for it first. */
  choose(): void
}

export interface LiveSearchSettings {
  elements: Pick<DialogElements, 'dialog' | 'input' | 'list' | 'status'>
  hits: HitList
  find(question: string): Promise<SearchHit[]>
  onChosen(option: HTMLAnchorElement): void
}

/** Updates the list of hits when the input field changes. */
export function createLiveSearch({ elements, hits, find, onChosen }: LiveSearchSettings): LiveSearch {
  const { dialog, input, list, status } = elements
  let lastTurn = 0
  let isBusy = false
  let choosesFirst = false
  let timer: ReturnType<typeof setTimeout> | undefined

  function setBusy(is: boolean) {
    isBusy = is
    list.setAttribute('aria-busy', String(is))
  }

  async function search() {
    clearTimeout(timer)
    setBusy(true)
    lastTurn += 1
    const turn = lastTurn
    const question = input.value
    const isEmpty = question.trim() === ''
    // The previous hits stay until the next hits arrive, to avoid flicker while a visitor types.
    const slow = setTimeout(() => {
      if (turn === lastTurn && !isEmpty) status.textContent = 'Searching …'
    }, 200)
    const found = await find(question).catch(() => null)
    clearTimeout(slow)
    if (turn !== lastTurn) return
    hits.show(found ?? [])
    showStatus(status, found, isEmpty)
    if (input.value === question) finish()
  }

  function finish() {
    setBusy(false)
    const option = choosesFirst && dialog.open ? hits.selected() : undefined
    choosesFirst = false
    if (option) onChosen(option)
  }

  return {
    search,
    searchSoon() {
      setBusy(true)
      choosesFirst = false
      clearTimeout(timer)
      timer = setTimeout(() => void search(), 60)
    },
    choose() {
      const option = hits.selected()
      // While a search runs, the list still shows the hits of the previous question.
      if (isBusy) choosesFirst = true
      else if (option) onChosen(option)
    },
  }
}

/** @param found null = the search failed. */
function showStatus(status: HTMLElement, found: readonly SearchHit[] | null, isEmpty: boolean): void {
  if (found === null) status.textContent = 'Could not load the search index.'
  else status.textContent = isEmpty || found.length > 0 ? '' : 'No results.'
  // This text is for screen readers. Other visitors see the list.
  if (found && found.length > 0)
    status.append(createText('quiet', [{ text: countResults(found.length), isMark: false }]))
}

function countResults(count: number): string {
  return count === 1 ? '1 result' : `${count} results`
}
