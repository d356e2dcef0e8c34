import { type CheckedChoice, chooseForGroup, type GroupChoice } from './choose-scripts.ts'
import { judgeSample } from './judge-sample.ts'
import { findLike } from './pick-pages.ts'
import { locatePages, type PlacedBundle, type Placing } from './placing.ts'
import type { Group } from './sample-groups.ts'
import type { ScriptedPage } from './sample-pages.ts'
import { describeGroups } from './script-groups.ts'

/** Chooses where the scripts of each group run, and records the choices. Returns the choice for each page, by key. */
export async function chooseAll(
  placing: Placing,
  bundle: PlacedBundle,
  movable: readonly boolean[],
): Promise<ReadonlyMap<string, CheckedChoice>> {
  const { groups, looks, viewer, log } = placing
  const choices = new Map<string, CheckedChoice>()
  const chosen: { group: Group; choice: GroupChoice }[] = []
  const made = await Promise.all(
    groups.map((group, at) => chooseOne(placing, group, { bundle, isMovable: movable[at] === true })),
  )
  for (const [at, group] of groups.entries()) {
    const choice = made[at]
    if (!choice) continue
    chosen.push({ group, choice })
    for (const { page } of group.pages) choices.set(page.key, choice.choice)
    for (const [odd, alone] of choice.unlike)
      for (const { page } of likeIt(group, odd, choice, bundle)) choices.set(page.key, alone)
  }
  const checked = groups.flatMap(({ sampled }) => locatePages(looks, sampled, bundle).map(({ path }) => path))
  const decidedBy = viewer !== null && checked.length > 0 ? 'browser' : 'rule'
  const described = describeGroups(
    chosen.map(({ group, choice }) => ({ pages: group.pages, ...choice })),
    bundle.pagePaths,
  )
  log?.({ ...described, decidedBy, sample: checked.length }, 'scripts of the site judged')
  placing.findings = {
    ...described,
    decidedBy,
    checkedPages: checked,
    heldOutPages: [],
    originFaults: [],
    differences: [],
  }
  return choices
}

/** Lists the pages of a group that share the choice of an unlike page, because they have the same unusual markup. */
function likeIt(
  { pages, sampled }: Group,
  path: string,
  { unlike }: GroupChoice,
  { pagePaths }: PlacedBundle,
): ScriptedPage[] {
  const pathOf = ({ page }: ScriptedPage) => pagePaths.get(page.key) ?? ''
  const odd = sampled.find(page => pathOf(page) === path)
  const usual = sampled.filter(page => !unlike.has(pathOf(page)))
  const unlikeAlone = (page: ScriptedPage) => page === odd || !sampled.includes(page)
  return odd ? findLike(odd, usual, pages).filter(unlikeAlone) : []
}

async function chooseOne(
  { looks, viewer, missed }: Placing,
  { pages, sampled, ahead, isJoint }: Group,
  { bundle, isMovable }: { bundle: PlacedBundle; isMovable: boolean },
): Promise<GroupChoice> {
  const sample = locatePages(looks, sampled, bundle)
  if (viewer === null || sample.length === 0)
    return { choice: { ...(ahead ?? (await judgeSample(sampled))), unseen: [], remarks: [] }, unlike: new Map() }
  const check = { folder: bundle.folder, sample, viewer, missed }
  return chooseForGroup(check, { isMovable, isWhole: sample.length === pages.length, isJoint })
}
