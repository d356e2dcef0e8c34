import type { FrozenReference, NamedReference } from '../in-page/browser/reference-signs.ts'
import type { Feature, RemovalRules } from '../tenancy/removal-rules.ts'
import type { RawText } from '../web/html/text-encoding.ts'
import type { Features } from './features.ts'
import { sourcesOf } from './product-sources.ts'
import { createRecognizer, hasConsole, type RecognizedProduct } from './recognize-products.ts'
import { type CleanedPage, createProductFinder, type ProductFinder, removeProducts } from './remove-products.ts'

/** Finds and removes third-party products in one export, and counts the pages that have them. */
export interface ProductRemoval {
  /** Finds products while the page is scanned, and removes those that are off. */
  find(raw: RawText, url: URL): ProductFinder
  /** Returns the page without the products that are off. */
  clean(raw: RawText, url: URL): CleanedPage
  /** Records the names of the products that a page of the bundle has or had. */
  note(key: string, names: readonly string[]): void
  /** The signs of the references that a browser shows and freezes; none if their feature is on. */
  references: readonly NamedReference[]
  /** Returns those of these products that are such references. */
  listReferences(names: readonly string[]): string[]
  /** Records the references of a page that are in the bundle as text. */
  noteFrozen(key: string, frozen: readonly Pick<FrozenReference, 'name' | 'removed'>[]): void
  /** Returns the reason why this address may not be loaded or packed; null = it may. */
  refuse(url: URL): string | null
  /**
   * Decides whether this address belongs to a kept product. Pages load it from the vendor, who may change it at any time.
   */
  leavesOutside(url: URL): boolean
  /** Returns the Content-Security-Policy sources for the kept products of a page. */
  sourcesOn(key: string): string[]
  /** Returns whether a search service was removed from this page. */
  losesSearch(key: string): boolean
  /**
   * Returns the number of pages for each product, sorted by product, and the frozen references by key of their page. A
   * reference that could not be frozen counts as removed.
   */
  count(pageKeys: Iterable<string>): ProductCounts
}

/** A product that was removed, or kept because its feature is on. */
export interface ProductCount {
  product: string
  /** null = a product named by the site's settings. */
  feature: Feature | null
  /** Number of pages of the bundle that had it. */
  pages: number
}

export interface ProductCounts {
  removedFeatures: ProductCount[]
  keptFeatures: ProductCount[]
  frozenReferences: FrozenPage[]
}

/** An API reference that is in the bundle as text, without the parts that send requests. */
export interface FrozenPage {
  page: string
  product: string
  /** Names of the removed parts. */
  removed: string[]
}

/** Distinguishes the addresses of the site from other addresses. */
interface OwnAddresses {
  /** Returns the address at the site's origin; null = the address belongs to another host. */
  own(url: URL): URL | null
}

/** @param freezes whether references whose feature is off are frozen, which needs a browser. Otherwise they are removed. */
export function createProductRemoval(
  features: Features,
  rules: RemovalRules | null,
  site: OwnAddresses,
  freezes = false,
): ProductRemoval {
  const recognizer = createRecognizer(features, rules, freezes)
  const isOwn = (url: URL) => site.own(url) !== null
  const seen = new Map<string, Set<RecognizedProduct>>()
  const frozen = new Map<string, FrozenPage[]>()
  const find = (url: URL) => recognizer.byAddress(url, isOwn(url))

  return {
    find: (raw, url) => createProductFinder(raw, { pageUrl: url, isOwn, recognizer }),
    clean: (raw, url) => removeProducts(raw, { pageUrl: url, isOwn, recognizer }),
    note(key, names) {
      const products = names.flatMap(name => recognizer.byName(name) ?? [])
      if (products.length > 0) seen.set(key, new Set([...(seen.get(key) ?? []), ...products]))
    },
    refuse(url) {
      const product = find(url)
      if (product?.treatment !== 'remove') return null
      return product.feature ? `${product.name}: ${product.feature} is off` : "removed by the site's settings"
    },
    leavesOutside(url) {
      const product = find(url)
      return product?.treatment === 'keep' && !isOwn(url)
    },
    sourcesOn(key) {
      const kept = [...(seen.get(key) ?? [])].filter(({ treatment }) => treatment === 'keep')
      return [...new Set(kept.flatMap(({ signs }) => sourcesOf(signs.addresses ?? [])))].sort()
    },
    losesSearch: key =>
      [...(seen.get(key) ?? [])].some(({ treatment, feature }) => treatment === 'remove' && feature === 'search'),
    references: recognizer.references,
    listReferences: names => names.filter(name => recognizer.byName(name)?.treatment === 'freeze'),
    noteFrozen(key, references) {
      const pages = references.map(({ name, removed }) => ({ page: key, product: name, removed }))
      if (pages.length > 0) frozen.set(key, pages)
    },
    count: pageKeys => countProducts([...pageKeys], seen, frozen),
  }
}

function countProducts(
  pageKeys: readonly string[],
  seen: ReadonlyMap<string, ReadonlySet<RecognizedProduct>>,
  frozen: ReadonlyMap<string, readonly FrozenPage[]>,
): ProductCounts {
  const kept = new Map<RecognizedProduct, number>()
  const removed = new Map<RecognizedProduct, number>()
  for (const key of pageKeys) {
    for (const product of seen.get(key) ?? []) {
      if (frozen.get(key)?.some(page => page.product === product.name)) continue
      const counts = product.treatment === 'keep' ? kept : removed
      // Without a console, nothing was removed.
      if (product.treatment !== 'freeze' || hasConsole(product.signs))
        counts.set(product, (counts.get(product) ?? 0) + 1)
    }
  }
  const list = (counts: ReadonlyMap<RecognizedProduct, number>) =>
    [...counts]
      .map(([{ name, feature }, pages]) => ({ product: name, feature, pages }))
      .sort((a, b) => (a.product < b.product ? -1 : 1))
  return {
    removedFeatures: list(removed),
    keptFeatures: list(kept),
    frozenReferences: pageKeys.flatMap(key => frozen.get(key) ?? []),
  }
}
