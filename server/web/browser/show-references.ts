import type { NamedReference } from '../../in-page/browser/reference-signs.ts'
import { splitWords } from '../html/page-text.ts'
import { freezeReferences } from './in-page.ts'
import { openAllParts } from './open-references.ts'
import { type OpenRequests, settle } from './settle.ts'
import type { Tab } from './tab.ts'

/** An API reference that a page shows. */
export interface ShownReference {
  name: string
  /** Number of words of the reference. */
  words: number
  /** Names of the removed parts. */
  removed: string[]
  /** Whether parts may still be collapsed, because there were too many. */
  isCut: boolean
}

/** Time reserved to read the page. */
const readMs = 5000

/** Opens the collapsed parts of the API references in a page, and removes what sends requests. */
export async function showReferences(
  tab: Pick<Tab, 'page' | 'client'>,
  showing: OpenRequests,
  references: readonly NamedReference[],
  deadline: number,
): Promise<ShownReference[]> {
  if (references.length === 0) return []
  const { page } = tab
  const isCut = await openAllParts({
    page,
    references,
    settle: () => settle(tab, showing, deadline),
    timeLeftMs: () => deadline - readMs - performance.now(),
  })
  const frozen = await freezeReferences(page, references)
  return frozen.flatMap(({ name, text, removed }) => {
    const words = splitWords(text).length
    return words === 0 ? [] : [{ name, words, removed, isCut }]
  })
}
