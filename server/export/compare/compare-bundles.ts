import { digestJson } from '../../base/digest.ts'
import { listChanges } from './list-changes.ts'
import { type BundlePages, openPages, type ReadPage, type Sentence } from './read-pages.ts'

/** What became of the pages of a site between two bundles. All lists are sorted by path. */
export interface BundleChanges {
  added: NamedPage[]
  removed: NamedPage[]
  /** Pages with the same text at another address. */
  moved: { from: string; to: string; name: string }[]
  changed: ChangedPage[]
  /** Pages whose text is the same. Their markup may differ. */
  unchanged: number
}

export interface NamedPage {
  page: string
  name: string
}

export interface ChangedPage extends NamedPage {
  changes: TextChange[]
}

/** Sentences that were replaced, added or removed at one place. */
export interface TextChange {
  /** The heading above; '' = none. */
  section: string
  /** Fragment of the section's address; '' = the top of the page. */
  anchor: string
  /** The sentence before; null = it is the first one. */
  after: string | null
  removed: string[]
  added: string[]
}

/** One of the two bundles. */
export interface ComparedBundle {
  /** As it was given. */
  name: string
  domain: string | null
  version: string | null
  /** Null for a folder. */
  sha256: string | null
}

/** The changes, and between what they are. */
export interface BundleDiff extends BundleChanges {
  before: ComparedBundle
  after: ComparedBundle
}

/** Compares the pages of two unpacked bundles by the text of their main content. */
export async function compareBundles(before: string, after: string, signal: AbortSignal): Promise<BundleChanges> {
  const [old, recent] = alignPages(await openPages(before, signal), await openPages(after, signal))
  const changes: BundleChanges = { added: [], removed: [], moved: [], changed: [], unchanged: 0 }
  for (const [page, digest] of old.digests) {
    signal.throwIfAborted()
    const digestAfter = recent.digests.get(page)
    if (digestAfter === undefined) continue
    const changed =
      digestAfter === digest ? null : comparePages(recent.root + page, await old.read(page), await recent.read(page))
    if (changed) changes.changed.push(changed)
    else changes.unchanged += 1
  }
  await findMoves(changes, old, recent, signal)
  return changes
}

/** Leaves out the folder of all pages if the bundles share no path: the address of a site often has its version. */
function alignPages(old: BundlePages, recent: BundlePages): [BundlePages, BundlePages] {
  const isShared = [...old.digests.keys()].some(page => recent.digests.has(page))
  return isShared ? [old, recent] : [withoutRoot(old), withoutRoot(recent)]
}

function withoutRoot({ digests, read }: BundlePages): BundlePages {
  const pages = [...digests.keys()]
  let root = pages[0] ?? ''
  do root = root.slice(0, root.lastIndexOf('/', root.length - 2) + 1)
  while (!pages.every(page => page.startsWith(root)))
  const inside = [...digests].map(([page, digest]) => [page.slice(root.length), digest] as const)
  return { root, digests: new Map(inside), read: page => read(root + page) }
}

function comparePages(page: string, before: ReadPage, after: ReadPage): ChangedPage | null {
  const changes = listTextChanges(before.sentences, after.sentences)
  return changes.length === 0 ? null : { page, name: after.name, changes }
}

function listTextChanges(before: readonly Sentence[], after: readonly Sentence[]): TextChange[] {
  const keyOf = ({ isHeading, text }: Sentence) => (isHeading ? '# ' : '  ') + text
  const textOf = (key: string) => key.slice(2)
  const changes: TextChange[] = []
  /** The position in `after`. */
  let at = 0
  let open: TextChange | null = null
  for (const { kind, items } of listChanges(before.map(keyOf), after.map(keyOf))) {
    if (kind === 'same') open = null
    else {
      open ??= startChange(after, at, changes)
      open[kind].push(...items.map(textOf))
    }
    if (kind !== 'removed') at += items.length
  }
  return changes
}

function startChange(after: readonly Sentence[], at: number, changes: TextChange[]): TextChange {
  const heading = after.slice(0, at).findLast(({ isHeading }) => isHeading)
  const previous = after[at - 1]
  const change: TextChange = {
    section: heading?.text ?? '',
    anchor: heading?.anchor ?? '',
    after: previous && !previous.isHeading ? previous.text : null,
    removed: [],
    added: [],
  }
  changes.push(change)
  return change
}

/** Divides the pages that only one bundle has: those with the same text in both were moved. */
async function findMoves(
  changes: BundleChanges,
  old: BundlePages,
  recent: BundlePages,
  signal: AbortSignal,
): Promise<void> {
  const gone = new Map<string, NamedPage[]>()
  for (const page of missingFrom(recent, old)) {
    signal.throwIfAborted()
    const { name, sentences } = await old.read(page)
    const key = digestJson(sentences.map(({ text }) => text))
    gone.set(key, [...(gone.get(key) ?? []), { page: old.root + page, name }])
  }
  for (const page of missingFrom(old, recent)) {
    signal.throwIfAborted()
    const { name, sentences } = await recent.read(page)
    // Pages without a text are not the same page.
    const from = sentences.length === 0 ? undefined : gone.get(digestJson(sentences.map(({ text }) => text)))?.shift()
    const to = recent.root + page
    if (from) changes.moved.push({ from: from.page, to, name })
    else changes.added.push({ page: to, name })
  }
  changes.removed = [...gone.values()].flat().sort((a, b) => (a.page < b.page ? -1 : 1))
}

function missingFrom({ digests }: BundlePages, { digests: others }: BundlePages): string[] {
  return [...others.keys()].filter(page => !digests.has(page))
}
