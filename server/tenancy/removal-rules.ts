/** Settings of a site that extend the table of known products and exclude pages. */
export interface RemovalRules {
  /** Selectors of elements that every export of the site removes, independent of its features. */
  removeSelectors: string[]
  /** Address patterns of scripts, frames and styles to remove. `inline:TEXT` = inline scripts that contain the text. */
  removeScripts: string[]
  /** Content to keep although the table treats it as a product: the product's name, a selector, or an address pattern. */
  keep: string[]
  /** Additional products, removed if their feature is off. */
  products: SiteProduct[]
  /** Address patterns of pages that exports exclude. Links to these pages lead to the public site. */
  excludePages: string[]
}

/** A product that the table of known products lacks. */
export interface SiteProduct {
  name: string
  feature: Feature
  selectors: string[]
  scripts: string[]
}
export type Feature = 'search' | 'assistant' | 'analytics' | 'playground'

export function countRules(rules: RemovalRules): number {
  return Object.values(rules).reduce((count, list) => count + list.length, 0)
}

/** The detail of an audit event for the rules of a site. */
export function describeRules(rules: RemovalRules | null): string {
  return `rules: ${rules ? countRules(rules) : 'none'}`
}
