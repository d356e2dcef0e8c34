import type { ReferenceSigns } from '../in-page/browser/reference-signs.ts'
import type { Feature } from '../tenancy/removal-rules.ts'

/**
 * Signs by which Quire recognises a third-party product in a page. Addresses, inline scripts and elements prove that the
 * page has the product. Other products may use the same parts (a local search may have a DocSearch button), so parts count
 * only together with a proof.
 */
export interface ProductSigns {
  name: string
  /** Patterns of the addresses that the product loads; see server/web/address-pattern.ts. */
  addresses?: readonly string[]
  /** Texts in the inline scripts that start the product; white space and the kind of quotes do not matter. */
  inline?: readonly string[]
  /** Selectors of elements that only this product has; see selector.ts. */
  elements?: readonly string[]
  /** Selectors of elements that count only if something else proves the product. */
  parts?: readonly string[]
  /** Texts that prove the product in scripts that the site needs, such as its configuration. Those scripts stay. */
  traces?: readonly string[]
  /**
   * For an API reference: its parts after its scripts have run. If its feature is off, a browser shows the reference, and the
   * bundle has its text without what sends requests. A reference without consoles is no product where the feature is on.
   */
  reference?: ReferenceSigns
}

export interface Product extends ProductSigns {
  feature: Feature
}
