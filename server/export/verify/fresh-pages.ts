import { digest } from '../../base/digest.ts'
import type { PageViewer } from '../../web/browser/viewer.ts'
import type { Difference } from '../model/report.ts'
import type { CheckedChoice } from './choose-scripts.ts'
import type { OriginLook, Remark } from './compare-page.ts'
import {
  compareInPlaces,
  findDifferences,
  listSafePlaces,
  placesByRefusals,
  type UnseenPage,
} from './find-differences.ts'
import { locatePages, type PlacedBundle, type Placing } from './placing.ts'
import type { Group } from './sample-groups.ts'
import { learnFrom, type ScriptedPage, showAtOrigin } from './sample-pages.ts'

/**
 * Number of pages of a group that nothing was learned from and that must be without a fault: of a site with one group, or with
 * more. A fault on the share p of the pages of a group stays unseen with the probability (1 - p)^n: with n = 5, a fault on half of the
 * pages in 3 of 100 exports.
 */
export const enoughFresh = { one: 5, more: 3 }
/** Max times that groups with a fault are learned or decided again, and how often a page with a fault may be decided alone. */
const maxRounds = 4
const maxAlone = 2
/** Max pages of all groups that are opened at the origin because a page of their group had a fault. */
const maxLearned = 400

/** The pages of a group that were drawn to check the bundle. */
interface Drawn {
  group: Group
  /** Pages that differ where the choice of the group says that they do not. */
  faulty: ScriptedPage[]
  faults: Difference[]
  /** Differences that the choice of the group lets expect. */
  expected: Remark[]
  /** Paths of the opened pages. */
  opened: string[]
}

/** Checks finished bundles by pages that nothing was learned from. */
export interface FreshPages {
  /** Opens fresh pages of each group in all places. Opens none of a bundle that is not complete: null. */
  check(bundle: PlacedBundle | null, viewer: PageViewer, choices: ReadonlyMap<string, CheckedChoice>): Promise<void>
  /** What the last check found. */
  found(): { differences: Remark[]; opened: string[]; looks: Iterable<OriginLook> }
  /**
   * Makes pages with a fault part of the sample of their group.
   *
   * @param learns whether to open all pages of these groups at the origin, because a fault was a file that the bundle lacks.
   * @return whether the bundle has to be written and checked again.
   */
  improve(learns: boolean): Promise<boolean>
  /** Pages whose faults are left. Their group had more pages than may be opened. */
  left(): Difference[]
}

export function createFreshPages(placing: Placing): FreshPages {
  const looks = new Map<string, OriginLook>()
  const used = new Set<string>()
  let drawn: Drawn[] = []
  let round = 0
  let learned = 0

  return {
    async check(bundle, viewer, choices) {
      drawn = []
      if (!bundle) return
      const open = placing.groups.filter(({ pages, sampled }) => pages.length > sampled.length)
      drawn = await Promise.all(
        open.map(group => checkGroup(placing, group, bundle, { looks, used, round, viewer, choices })),
      )
    },
    found: () => ({
      differences: drawn.flatMap(({ faults, expected }) => [...faults, ...expected]),
      opened: drawn.flatMap(({ opened }) => opened),
      looks: looks.values(),
    }),
    async improve(learns) {
      const faulty = drawn.filter(each => each.faulty.length > 0)
      if (round >= maxRounds || (faulty.length === 0 && !learns)) return false
      round += 1
      for (const { group, faulty: pages } of faulty) {
        const rest = learns ? group.pages.filter(({ page }) => !placing.looks.has(page.key)) : []
        const opened = [...pages, ...rest.filter(page => !pages.includes(page)).slice(0, maxLearned - learned)]
        learned += opened.length
        await openAll(placing, looks, opened)
        group.sampled = sortBy([...group.sampled, ...pages], ({ page }) => page.key)
        group.isJoint = round > maxAlone
      }
      return true
    },
    left: () => drawn.flatMap(({ faults }) => faults),
  }
}

interface Fresh {
  /** Pages that only a check opened at the origin, by key. */
  looks: Map<string, OriginLook>
  /** Keys of the pages that were drawn. */
  used: Set<string>
  round: number
  viewer: PageViewer
  choices: ReadonlyMap<string, CheckedChoice>
}

/** Draws pages of a group, and compares them in a bundle with the origin. */
async function checkGroup(
  placing: Placing,
  group: Group,
  bundle: PlacedBundle,
  { looks, used, round, viewer, choices }: Fresh,
): Promise<Drawn> {
  const pages = draw(group, used, { seed: `${placing.collected.site.domain} ${round}`, size: sizeOf(placing) })
  const known = new Map([...looks, ...placing.looks])
  for (const [key, look] of await showAtOrigin({ ...placing, viewer, looks: known }, pages, true)) looks.set(key, look)
  const found: Drawn = { group, faulty: [], faults: [], expected: [], opened: [] }
  const plain: UnseenPage[] = []
  const check = { folder: bundle.folder, viewer, missed: placing.missed }
  const located = locatePages(looks, pages, bundle)
  await Promise.all(
    located.map(async shown => {
      const scripted = pages.find(({ page }) => bundle.pagePaths.get(page.key) === shown.path)
      const choice = scripted && choices.get(scripted.page.key)
      if (!choice) return
      used.add(scripted.page.key)
      found.opened.push(shown.path)
      const page = choice.mode === 'frozen' ? { ...shown, app: null } : shown
      const safe = listSafePlaces(choice)
      plain.push({ page, places: placesByRefusals.filter(name => !safe.includes(name)), mode: choice.mode })
      const { faults, remarks } = await compareInPlaces(check, safe, page)
      if (faults.length > 0) found.faulty.push(scripted)
      found.faults.push(...faults)
      found.expected.push(...remarks)
    }),
  )
  found.expected.push(
    ...(await findDifferences(
      check,
      sortBy(plain, ({ page }) => page.path),
    )),
  )
  return {
    ...found,
    faulty: sortBy(found.faulty, ({ page }) => page.key),
    faults: sortBy(found.faults, ({ page, place }) => `${page} ${place}`),
    expected: sortBy(found.expected, ({ page, place }) => `${page} ${place}`),
    opened: found.opened.sort(),
  }
}

function sizeOf({ groups }: Placing): number {
  return groups.length > 1 ? enoughFresh.more : enoughFresh.one
}

/** Opens pages at the origin, and requests the files that they load. */
async function openAll(placing: Placing, fresh: ReadonlyMap<string, OriginLook>, pages: readonly ScriptedPage[]) {
  const { viewer, looks } = placing
  if (!viewer) return
  const options = { ...placing, viewer, looks: new Map([...fresh, ...looks]) }
  const shown = await showAtOrigin(options, pages)
  for (const [key, look] of shown) looks.set(key, look)
  await learnFrom(options, shown)
}

/**
 * Draws pages of a group that are not in its sample: of as many folders as possible, and in an order that only the seed knows.
 * Pages that were drawn before come last.
 */
export function draw(
  { pages, sampled }: Pick<Group, 'pages' | 'sampled'>,
  used: ReadonlySet<string>,
  { seed, size }: { seed: string; size: number },
): ScriptedPage[] {
  const taken = new Set(sampled)
  const ordered = sortBy(
    pages.filter(page => !taken.has(page)),
    ({ page: { key, url } }) => `${used.has(key) ? 1 : 0} ${digest(`${seed} ${url.pathname}${url.search}${url.hash}`)}`,
  )
  const folders = new Set<string>()
  const first = ordered.filter(({ page: { url } }) => {
    const { pathname } = url
    const before = folders.size
    folders.add(pathname.slice(0, pathname.lastIndexOf('/', pathname.length - 2) + 1))
    return folders.size > before
  })
  return [...new Set([...first, ...ordered])].slice(0, size)
}

function sortBy<T>(items: readonly T[], by: (item: T) => string): T[] {
  const keyed = items.map(item => [by(item), item] as const)
  return keyed.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item)
}
