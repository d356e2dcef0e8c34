import type { BundleChanges, ChangedPage, NamedPage } from './compare-bundles.ts'

/** The changes between two bundles with lists of a limited size, and the whole numbers. */
export interface CutChanges {
  counts: Record<'added' | 'removed' | 'moved' | 'changed' | 'unchanged', number>
  added: NamedPage[]
  removed: NamedPage[]
  moved: BundleChanges['moved']
  /** `morePlaces` changed places of the page are left out. */
  changed: (ChangedPage & { morePlaces: number })[]
}

/** Max pages of each list, changed places of a page, sentences of a place, and characters of a sentence. */
const max = { pages: 200, places: 20, sentences: 20, characters: 1000 }

/** Cuts the changes to what one page shows, because they may have all texts of both sites. */
export function cutChanges({ added, removed, moved, changed, unchanged }: BundleChanges): CutChanges {
  return {
    counts: {
      added: added.length,
      removed: removed.length,
      moved: moved.length,
      changed: changed.length,
      unchanged,
    },
    added: added.slice(0, max.pages),
    removed: removed.slice(0, max.pages),
    moved: moved.slice(0, max.pages),
    changed: changed.slice(0, max.pages).map(({ changes, ...page }) => ({
      ...page,
      changes: changes.slice(0, max.places).map(change => ({
        ...change,
        removed: cutTexts(change.removed),
        added: cutTexts(change.added),
      })),
      morePlaces: Math.max(0, changes.length - max.places),
    })),
  }
}

function cutTexts(texts: readonly string[]): string[] {
  const cut = texts
    .slice(0, max.sentences)
    .map(text => (text.length > max.characters ? `${text.slice(0, max.characters)} …` : text))
  return texts.length > max.sentences ? [...cut, '…'] : cut
}
