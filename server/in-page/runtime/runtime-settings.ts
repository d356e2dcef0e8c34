// This file uses no DOM, because the exporter imports it, too.

/** Facts about a site's style sheets and bundle that a page on file:// cannot read. */
export interface RuntimeSettings {
  /** Attributes of the html element whose value is `light` or `dark`. */
  themeAttributes: string[]
  /** Whether a class `dark` on the html element turns the dark theme on. */
  hasDarkClass: boolean
  /** Whether the bundle has a search, which the page's search fields then open. */
  hasSearch: boolean
  /** Whether the site's own search works at any path of a host, and not only at the root. */
  isHosted: boolean
}
