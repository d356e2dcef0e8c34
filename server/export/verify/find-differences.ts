import type { Difference, PlaceName, ScriptMode } from '../model/report.ts'
import type { BundleCheck, CheckedChoice } from './choose-scripts.ts'
import { comparePage, type Remark, type SampledPage } from './compare-page.ts'
import { createPlace } from './places.ts'

type FinishedCheck = Omit<BundleCheck, 'sample'>

/** The places, beginning with the one where browsers refuse most. */
export const placesByRefusals: readonly PlaceName[] = ['file', 'folder', 'root']

/** Where the scripts of a page run, and so its search. */
export const scriptPlaces: Readonly<Record<ScriptMode, readonly PlaceName[]>> = {
  none: [],
  everywhere: ['root', 'folder', 'file'],
  hosted: ['root', 'folder'],
  guarded: ['root'],
  frozen: [],
}

/** Lists the places where the sampled pages were seen without a fault, so that all pages must be without one. */
export function listSafePlaces({ mode, unseen }: CheckedChoice): PlaceName[] {
  // Nobody saw the finished page in a folder, but its scripts run there because they had no fault.
  return placesByRefusals.filter(name => !unseen.includes(name) || (mode === 'hosted' && name === 'folder'))
}

/** Compares a page of the complete bundle with the origin in places where pages like it have no fault. */
export async function compareInPlaces(
  check: FinishedCheck,
  places: readonly PlaceName[],
  page: SampledPage,
): Promise<{ faults: Difference[]; remarks: Remark[] }> {
  const remarks: Remark[] = []
  const found = await Promise.all(
    places.map(name => comparePage({ ...check, remarks }, createPlace(name, check.folder), page)),
  )
  return { faults: found.filter(fault => fault !== null), remarks }
}

/** A page of the complete bundle, and the places where it was not seen without a fault. */
export interface UnseenPage {
  page: SampledPage
  places: readonly PlaceName[]
  mode: ScriptMode
}

/**
 * Compares pages of the complete bundle with the origin where they were not seen yet. A page without scripts is the same
 * everywhere, so it is opened from file://, where browsers allow least. The first page, and each page that differs, is opened
 * in the other places too.
 */
export async function findDifferences(check: FinishedCheck, unseen: readonly UnseenPage[]): Promise<Remark[]> {
  async function compare(name: PlaceName, { page, mode }: UnseenPage): Promise<Remark | null> {
    const remarks: Remark[] = []
    const checked = { ...check, remarks, isInert: !scriptPlaces[mode].includes(name) }
    return (await comparePage(checked, createPlace(name, check.folder), page)) ?? remarks[0] ?? null
  }

  const found = await Promise.all(
    unseen.map(async (each, at) => {
      const [strictest, ...others] = placesByRefusals.filter(name => each.places.includes(name))
      if (strictest === undefined) return []
      const first = await compare(strictest, each)
      if (first === null && at > 0) return []
      return [first, ...(await Promise.all(others.map(name => compare(name, each))))]
    }),
  )
  const rank = (place: PlaceName) => placesByRefusals.indexOf(place)
  return found
    .flat()
    .filter(difference => difference !== null)
    .sort((a, b) => rank(b.place) - rank(a.place))
}
