import type { NamedReference } from '../../in-page/browser/reference-signs.ts'
import { splitWords } from '../html/page-text.ts'
import { freezeReferences, openReferences } from './in-page.ts'
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

/** Max rounds. Each round opens the parts that the previous round showed. A schema may contain itself without end. */
const maxRounds = 12
const maxClicks = 4000
/** Max time for the clicks of one round. */
const roundMs = 10_000
/** Time reserved to read the page. */
const readMs = 5000

/** Opens the collapsed parts of the API references in a page, and removes what sends requests. */
export async function showReferences(
  { page, client }: Pick<Tab, 'page' | 'client'>,
  showing: OpenRequests,
  references: readonly NamedReference[],
  deadline: number,
): Promise<ShownReference[]> {
  if (references.length === 0) return []
  let left = maxClicks
  let changes = 1
  for (let round = 0; changes > 0 && left > 0 && round < maxRounds; round += 1) {
    const timeMs = Math.min(roundMs, deadline - readMs - performance.now())
    if (timeMs <= 0) break
    changes = await openReferences(page, references, { clicks: left, timeMs })
    left -= changes
    if (changes > 0) await settle(client, showing, deadline)
  }
  const frozen = await freezeReferences(page, references)
  return frozen.flatMap(({ name, text, removed }) => {
    const words = splitWords(text).length
    return words === 0 ? [] : [{ name, words, removed, isCut: changes > 0 }]
  })
}
