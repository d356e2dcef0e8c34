// No DOM in this file: the exporter reads it, too.

/** Facts about a site's style sheets and bundle that a page on file:// cannot read. */
export interface RuntimeSettings {
  /** Attributes of the html element whose value is `light` or `dark`. */
  themeAttributes: string[]
  /** Whether a class `dark` on the html element turns the dark theme on. */
  hasDarkClass: boolean
  /** Whether the bundle has its own search, which the page's search fields then open. */
  hasSearch: boolean
  /** Whether the site's own search works anywhere on a host, as opposed to its root only. */
  isHosted: boolean
}
