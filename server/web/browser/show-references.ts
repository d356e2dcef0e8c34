import type { Page } from 'puppeteer'
import type { NamedReference } from '../../in-page/browser/reference-signs.ts'
import { splitWords } from '../html/page-text.ts'
import { freezeReferences, keepPanels, openReferences } from './in-page.ts'
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

interface Opening {
  page: Page
  references: readonly NamedReference[]
  /** Waits until the page is quiet. */
  settle(): Promise<unknown>
  /** Returns how many milliseconds are left. */
  timeLeftMs(): number
}

/** Max rounds. Each round opens the parts that the previous round showed. A schema may contain itself without end. */
const maxRounds = 12
/** Max clicks in one page. */
const maxClicks = 4000
/** Max time for the clicks of one round. */
const roundMs = 10_000
/** Max levels of tabs within panels of tabs, and max tabs of one list. */
const maxLevels = 2
const maxSteps = 12

/**
 * Opens the collapsed parts of the API references in a page, and copies the panels of their tabs.
 *
 * @return whether parts may still be collapsed, because there are too many.
 */
export async function openAllParts({ page, references, settle, timeLeftMs }: Opening): Promise<boolean> {
  let left = maxClicks

  async function openParts(): Promise<boolean> {
    let changes = 1
    for (let round = 0; changes > 0 && left > 0 && round < maxRounds && timeLeftMs() > 0; round += 1) {
      changes = await openReferences(page, references, { clicks: left, timeMs: Math.min(roundMs, timeLeftMs()) })
      left -= changes
      if (changes > 0) await settle()
    }
    return changes > 0
  }

  let isCut = await openParts()
  for (let level = 0; level < maxLevels; level += 1) {
    for (let step = 0; step <= maxSteps; step += 1) {
      const clicks = await keepPanels(page, references, { level, step })
      if (clicks > 0 || step > 0) await settle()
      if (clicks === 0) break
      isCut = (await openParts()) || isCut
    }
    // The first panels may have been drawn again.
    isCut = (await openParts()) || isCut
  }
  return isCut
}
