import type { Feature } from '../../tenancy/removal-rules.ts'

/**
 * How a product of others shows in a page. Addresses, inline scripts and own elements prove that it is there; parts are
 * names that other products use too (a local search may well have a DocSearch button), so they count only beside a proof.
 */
export interface ProductSigns {
  name: string
  /** Patterns of what it loads, as address-pattern.ts reads them. */
  addresses?: readonly string[]
  /** Texts of the inline scripts that start it; white space and the kind of quotes do not matter. */
  inline?: readonly string[]
  /** Elements of this product and no other, as selector.ts reads them. */
  elements?: readonly string[]
  /** Elements that are its own only where something else proves it. */
  parts?: readonly string[]
  /** Texts in scripts of the site that prove it and that the site cannot do without: its configuration, its code. */
  traces?: readonly string[]
}

export interface Product extends ProductSigns {
  feature: Feature
}
