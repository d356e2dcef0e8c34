/** What a site's settings add to the table of known products, and which of its pages they leave out. */
export interface RemovalRules {
  /** Elements that no export of the site holds, whatever its features. */
  removeSelectors: string[]
  /** Addresses of scripts, frames and styles that no export of the site holds; `inline:TEXT` = inline scripts with it. */
  removeScripts: string[]
  /** What the table takes for a product and is none: its name there, a selector, or an address pattern. */
  keep: string[]
  /** Removed where their feature is off. */
  products: SiteProduct[]
  /** Address patterns of pages that exports leave out; links to them lead to the public site. */
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
