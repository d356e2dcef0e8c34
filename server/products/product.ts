import type { Feature } from '../tenancy/removal-rules.ts'

/**
 * How to recognise a third-party product in a page. Addresses, inline scripts and elements prove that it is there. Parts are
 * names that other products use as well (a local search may have a DocSearch button), so they count only beside a proof.
 */
export interface ProductSigns {
  name: string
  /** Patterns of the addresses that it loads, see server/web/address-pattern.ts. */
  addresses?: readonly string[]
  /** Texts in the inline scripts that start it; white space and the kind of quotes do not matter. */
  inline?: readonly string[]
  /** Selectors of elements that only this product has, see selector.ts. */
  elements?: readonly string[]
  /** Selectors of elements that count only if something else proves the product. */
  parts?: readonly string[]
  /** Texts that prove it in scripts that the site needs, such as its configuration. Those scripts stay. */
  traces?: readonly string[]
}

export interface Product extends ProductSigns {
  feature: Feature
}
