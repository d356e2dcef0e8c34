import { createQueue } from '../../base/queue.ts'
import { viewerTabs } from '../../web/browser/viewer.ts'
import type { Difference, PlaceName, ScriptChoice, ScriptMode } from '../model/report.ts'
import { freezeApp } from '../runtime/guard-app.ts'
import { freezePage, guardPage } from '../runtime/guard-page.ts'
import { comparePage, type PageCheck, type Remark, type SampledPage } from './compare-page.ts'
import { createPlace, type Place } from './places.ts'

/** The reason why an app needs the root of a host. */
export const appsNeedRoot = 'its pages differ only in the fragment (#/page), so they need a web server'

/** A written bundle, and the pages to open in it. */
export interface BundleCheck extends Omit<PageCheck, 'idle'> {
  folder: string
  /** The pages to open. The first one stands for all where the place changes only known things. */
  sample: readonly SampledPage[]
}

/** A choice of the browser. */
export interface CheckedChoice extends ScriptChoice {
  /** The places in which the finished bundle was not seen without a fault. */
  unseen: readonly PlaceName[]
  /** Differences in the places where it was seen. */
  remarks: readonly Remark[]
}

/** The choice for a group of like pages, and the choices for sampled pages that are unlike the others, by path. */
export interface GroupChoice {
  choice: CheckedChoice
  unlike: ReadonlyMap<string, CheckedChoice>
}

/** Max share of the sampled pages that may be unlike the others. */
const maxUnlike = 1 / 3
/** Max pages of a group that are decided one by one, because all of its pages are in the sample. */
const maxDecidedAlone = 24

/** What is known about a group. */
interface GroupTraits {
  /** Whether its pages load their files by relative addresses. */
  isMovable: boolean
  /** Whether all of its pages are in the sample. */
  isWhole: boolean
  /** Whether the group has one choice, because more pages than the opened ones fail. */
  isJoint: boolean
}

/**
 * Opens the sampled pages of a group of like pages, and decides where their scripts work as they do at the origin. A page
 * that fails where the others work is decided alone. So is each page of a group that was opened whole.
 */
export async function chooseForGroup(
  check: BundleCheck,
  { isMovable, isWhole, isJoint }: GroupTraits,
): Promise<GroupChoice> {
  const memory: Memory = new Map()
  const { sample } = check
  // The router of a framework may look right in a folder of a host until it requests a file from the root.
  const isTried = isMovable || sample.every(({ origin, app }) => !origin.isTakenOver && app === null)
  const choose = (sample: readonly SampledPage[]) => chooseScripts({ ...check, sample, memory }, { isMovable, isTried })
  if (!isMovable) openAhead({ ...check, memory })
  const joint = await choose(sample)
  if (joint.choice.mode === 'everywhere' || isJoint) return { choice: joint.choice, unlike: new Map() }
  if (isWhole && sample.length <= maxDecidedAlone) {
    const alone = await Promise.all(sample.map(async page => [page.path, (await choose([page])).choice] as const))
    return mergeAlone(alone)
  }
  let best = { choice: joint.choice, removed: [] as SampledPage[] }
  const removed: SampledPage[] = []
  let { decisive } = joint
  for (let left = Math.floor(sample.length * maxUnlike); decisive !== null && left > 0; left -= 1) {
    removed.push(...sample.filter(({ path }) => path === decisive))
    const others = await choose(sample.filter(page => !removed.includes(page)))
    if (ranks[others.choice.mode] > ranks[best.choice.mode]) best = { choice: others.choice, removed: [...removed] }
    decisive = others.decisive
  }
  const odd = best.removed.map(async page => [page.path, (await choose([page])).choice] as const)
  return { choice: best.choice, unlike: new Map(await Promise.all(odd)) }
}

/** Makes the choice of most pages the choice of the group. */
function mergeAlone(alone: readonly (readonly [path: string, choice: CheckedChoice])[]): GroupChoice {
  const kindOf = ({ mode, unseen }: CheckedChoice) => `${mode} ${unseen.join(' ')}`
  const kinds = new Map<string, CheckedChoice[]>()
  for (const [, choice] of alone) kinds.set(kindOf(choice), [...(kinds.get(kindOf(choice)) ?? []), choice])
  const [most = []] = [...kinds.values()].sort((a, b) => b.length - a.length)
  const [first] = most
  if (!first) throw new Error('a group without pages has no choice')
  const choice = { ...first, remarks: most.flatMap(({ remarks }) => remarks) }
  return { choice, unlike: new Map(alone.filter(([, other]) => kindOf(other) !== kindOf(choice))) }
}

/**
 * Opens the pages of which a decision about absolute addresses needs to know: such pages rarely work on file://, so all are
 * opened at the root. Opening them before the decision asks for them keeps the browser busy.
 */
function openAhead(check: MemorizedCheck): void {
  const { folder, sample } = check
  const onFile = createPlace('file', folder)
  const ahead = sample.slice(0, 2).map(page => compare(check, onFile, page))
  // The decision sees the errors.
  Promise.all([...ahead, findFault(check, createPlace('root', folder, guardWith(sample, 'own path')))]).catch(() => {})
}

/** Modes in the order of the places where scripts run. */
const ranks: Record<ScriptMode, number> = { frozen: 0, guarded: 1, hosted: 2, everywhere: 3, none: 3 }

/** Results of comparisons, by place and page. */
type Memory = Map<string, Promise<{ fault: Difference | null; idle: Difference[]; remarks: Remark[] }>>

interface MemorizedCheck extends BundleCheck {
  memory: Memory
}

/** A choice, and the path of the page that decided it; null = no page did. */
interface Decided {
  choice: CheckedChoice
  decisive: string | null
}

/** @param isTried whether the scripts may run in a folder of a host if they look right there. */
async function chooseScripts(
  check: MemorizedCheck,
  { isMovable, isTried }: { isMovable: boolean; isTried: boolean },
): Promise<Decided> {
  const { folder, sample } = check
  const guarded = createPlace('root', folder, guardWith(sample, 'own path'))
  const onFile = await findFaultAway(check, createPlace('file', folder), guarded)
  const hosted = createPlace('folder', folder, onFile ? guardWith(sample, 'any path') : undefined)
  const inFolder = onFile
    ? isTried
      ? await findFaultAway(check, hosted, guarded, 'guarded')
      : onFile
    : await findFaultAway({ ...check, sample: sample.slice(0, 1) }, hosted, guarded)
  const awayFromRoot = inFolder ?? onFile
  const away = ['folder', 'file'] as const
  const decide = async (
    mode: ScriptMode,
    fault: Difference | null,
    unseen: readonly PlaceName[],
  ): Promise<Decided> => ({
    choice: { mode, reason: fault && describe(fault), unseen, remarks: await findRemarks(check, mode) },
    decisive: fault?.page ?? null,
  })
  // Scripts with relative addresses that work in a folder of a host also work at its root, except those of an app.
  const hasApp = sample.some(({ app }) => app !== null)
  const atRoot = !inFolder && isMovable && !hasApp ? null : await findFault(check, guarded)
  if (!inFolder && !hasApp && !atRoot) return decide(onFile ? 'hosted' : 'everywhere', onFile, onFile ? away : [])
  if (!atRoot) {
    const { choice, decisive } = await decide('guarded', awayFromRoot, away)
    return { choice: { ...choice, reason: choice.reason ?? appsNeedRoot }, decisive }
  }
  // Opens all pages, to record all missing files at once.
  await Promise.all(sample.map(page => compare(check, guarded, page)))
  // Scripts are removed only if the pages work without them.
  const plain = createPlace('folder', folder, freezeWith(sample))
  const withoutScripts = await Promise.all(sample.map(page => losesMore(check, { plain, guarded }, page)))
  return decide(withoutScripts.includes(true) ? 'guarded' : 'frozen', atRoot, ['root', ...away])
}

/** Decides whether a page without its scripts lacks more than with them at the root of a host. */
async function losesMore(
  check: MemorizedCheck,
  { plain, guarded }: { plain: Place; guarded: Place },
  page: SampledPage,
): Promise<boolean> {
  const { fault } = await compare(check, plain, page, 'frozen')
  if (!fault?.loss) return fault !== null
  const atRoot = await compare(check, guarded, page)
  return fault.loss.words > (atRoot.fault?.loss?.words ?? 0)
}

/** Changes a page of a bundle as it is served. */
export type Change = (path: string, text: string) => string

/** A page of a bundle that contains its scripts, unless an app shows it. */
export type PlacedPage = Pick<SampledPage, 'path' | 'ownPath' | 'charset' | 'app'>

/** Adds the guard to pages that are not guarded yet. */
export function guardWith(sample: readonly PlacedPage[], at: 'own path' | 'any path'): Change {
  const pages = byPath(sample)
  return (path, text) => {
    const page = pages.get(path)
    if (!page) return text
    return guardPage({ text, charset: page.charset }, path, at === 'own path' ? page.ownPath : null)
  }
}

function freezeWith(sample: readonly SampledPage[]): Change {
  const pages = byPath(sample)
  return (path, text) => {
    const page = pages.get(path)
    return page ? freezePage({ text, charset: page.charset }, path) : freezeApp(text)
  }
}

/** Returns the pages that contain their scripts, by path. */
function byPath(sample: readonly PlacedPage[]): Map<string, PlacedPage> {
  return new Map(sample.flatMap(page => (page.app ? [] : [[page.path, page] as const])))
}

/** Works like `findFault`, but also finds pages whose scripts do nothing in this place. */
async function findFaultAway(
  check: MemorizedCheck,
  place: Place,
  guarded: Place,
  state = 'scripted',
): Promise<Difference | null> {
  const fault = await findFault(check, place, state)
  if (fault) return fault
  const compared = await Promise.all(check.sample.map(page => compare(check, place, page, state)))
  return findIdle(
    check,
    compared.flatMap(({ idle }) => idle),
    guarded,
  )
}

/**
 * Returns the first sampled page that fails. Opens the first page alone, and no page after a fault was found: pages begin in
 * order, so the same page is the first one each time.
 */
async function findFault(check: MemorizedCheck, place: Place, state = 'scripted'): Promise<Difference | null> {
  const [first, ...others] = check.sample
  if (!first) return null
  const { fault } = await compare(check, place, first, state)
  if (fault) return fault
  const queue = createQueue(viewerTabs)
  let isFaulty = false
  const found = await Promise.all(
    others.map(page =>
      queue.add(async () => {
        if (isFaulty) return null
        const { fault } = await compare(check, place, page, state)
        if (fault) isFaulty = true
        return fault
      }),
    ),
  )
  return found.find(fault => fault !== null) ?? null
}

/** Compares a page in a place, once. */
function compare(check: MemorizedCheck, place: Place, page: SampledPage, state = 'scripted') {
  const { memory } = check
  const key = `${state} ${place.name} ${page.path}`
  const known = memory.get(key)
  if (known) return known
  const idle: Difference[] = []
  const remarks: Remark[] = []
  const compared = comparePage({ ...check, idle, remarks }, place, page).then(fault => ({ fault, idle, remarks }))
  memory.set(key, compared)
  return compared
}

/** The comparisons that saw the pages as they are in a bundle of this mode, as state and place. */
const seenStates: Record<ScriptMode, readonly string[]> = {
  everywhere: ['scripted file', 'scripted folder'],
  hosted: ['guarded folder'],
  guarded: ['scripted root'],
  frozen: [],
  none: [],
}

/** Returns what was noticed of the sampled pages where they are as in the bundle. */
async function findRemarks({ memory, sample }: MemorizedCheck, mode: ScriptMode): Promise<Remark[]> {
  const known = seenStates[mode].flatMap(state => sample.flatMap(({ path }) => memory.get(`${state} ${path}`) ?? []))
  return (await Promise.all(known)).flatMap(({ remarks }) => remarks)
}

/**
 * Finds a page whose scripts have an effect at the root of a host and none elsewhere, without any error. An effect at the
 * origin proves nothing: it may come from a product that the bundle lacks.
 */
async function findIdle({ viewer }: PageCheck, idle: readonly Difference[], atRoot: Place): Promise<Difference | null> {
  for (const difference of idle.slice(0, viewerTabs)) {
    const look = await viewer.look(atRoot.address(difference.page), atRoot.answer)
    if (look?.isTakenOver) return difference
  }
  return null
}

function describe({ page, place, what }: Difference): string {
  const where = { root: 'at the root of a host', folder: 'in a folder of a host', file: 'on file://' }[place]
  return `${page} ${where}: ${what}`
}
