/** Settings of a site that add to the table of known products, and exclude pages. */
export interface RemovalRules {
  /** Selectors of elements that every export of the site removes, whatever its features. */
  removeSelectors: string[]
  /** Address patterns of scripts, frames and styles to remove; `inline:TEXT` = inline scripts that contain the text. */
  removeScripts: string[]
  /** Keeps content that the table mistakes for a product: its name there, a selector, or an address pattern. */
  keep: string[]
  /** Further products, removed if their feature is off. */
  products: SiteProduct[]
  /** Address patterns of pages that exports exclude; links to them lead to the public site. */
  excludePages: string[]
}

/** A product that only this site has. */
export interface SiteProduct {
  name: string
  feature: Feature
  selectors: string[]
  scripts: string[]
}
export type Feature = 'search' | 'assistant' | 'analytics' | 'playground'
