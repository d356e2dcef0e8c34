import type { PageLook } from '../../web/browser/page-look.ts'
import type { Verify } from '../model/options.ts'
import type { ScriptChoice } from '../model/report.ts'
import { judgeSample } from './judge-sample.ts'
import { type PickedPages, pickPages } from './pick-pages.ts'
import type { ScriptedPage } from './sample-pages.ts'

/**
 * Number of pages of a group that a browser opens by default, if the site has one group, or more. With `verify: full`, it
 * opens all pages with scripts. Of a site with one group, the start page and three others: data that an app keeps for each page is
 * recognised from three pages.
 */
const baseSizes = { one: 4, more: 2, small: 1 }
/** Number of groups that are so large that more than one page stands for them. */
const largeGroups = 5
/** The pages of a site with this many pages or fewer are all opened. */
const smallSite = 8
/** Max further pages of all groups that a browser opens because their markup is unlike that of the others. */
const maxOdd = 4

/** Pages that load the same scripts, and the ones of them to open. */
export interface Group {
  pages: readonly ScriptedPage[]
  /** The pages to open, sorted by key. */
  sampled: readonly ScriptedPage[]
  /** Whether all pages have one choice, because pages with a fault were found again and again. */
  isJoint: boolean
  /** The choice made before the bundle was written; null with a browser. */
  ahead: ScriptChoice | null
}

/** Samples each group. Without a browser, decides where its scripts run. */
export async function sampleGroups(
  groups: readonly ScriptedPage[][],
  { verify, looks }: { verify: Verify; looks: ReadonlyMap<string, PageLook> },
  hasBrowser: boolean,
): Promise<Group[]> {
  const isWhole = verify === 'full' || groups.flat().length <= smallSite
  const sizeAt = (at: number) => (at < largeGroups ? baseSizes.more : baseSizes.small)
  const sampled: Group[] = []
  let more = maxOdd
  for (const [at, pages] of groups.entries()) {
    const base = isWhole ? Number.POSITIVE_INFINITY : groups.length > 1 ? sizeAt(at) : baseSizes.one
    const picked: PickedPages = pickPages(pages, { base, more, known: looks })
    more -= picked.odd.length
    const all = [...picked.base, ...picked.odd].sort((a, b) => (a.page.key < b.page.key ? -1 : 1))
    sampled.push({ pages, sampled: all, isJoint: false, ahead: hasBrowser ? null : await judgeSample(all) })
  }
  return sampled
}
