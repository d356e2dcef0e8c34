import type { Candidate } from './candidate.ts'
import { fetchPage, type VisitContext } from './fetch-page.ts'
import type { FetchedPage } from './page-completer.ts'
import { gaveNothing } from './page-outcomes.ts'

/** Tries the spellings of a page in turn, and records the outcome unless it is a page. */
export async function visitPage(context: VisitContext, candidate: Candidate): Promise<FetchedPage | null> {
  // Spellings added during this visit wait for the next generation, because their timing depends on the order of the
  // answers.
  for (let left = candidate.targets.length - candidate.tried; left > 0; left -= 1) {
    const target = candidate.targets[candidate.tried]
    candidate.tried += 1
    if (!target) break
    const isAssumed = target === candidate.assumed
    const result = await fetchPage(context, { target: new URL(target), key: candidate.key, isAssumed })
    if ('resource' in result) return result
    if (isAssumed) continue
    // A spelling that is not known does not prove that the page does not exist.
    const isLost = context.found.pages.get(candidate.key)?.state === 'failed' && result.state === 'missing'
    if (!isLost) context.found.pages.set(candidate.key, result)
    if (!gaveNothing(result)) break
  }
  return null
}
