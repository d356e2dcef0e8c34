// This file uses no DOM, because the exporter also imports it.

import type { OutlineModel } from '../outline/outline-model.ts'

/** Facts about a site's style sheets and bundle that a page on file:// cannot read. */
export interface RuntimeSettings {
  /** Attributes of the html element whose value is `light` or `dark`. */
  themeAttributes: string[]
  /** Whether a class `dark` on the html element enables the dark theme. */
  hasDarkClass: boolean
  /** Whether the bundle has a search. The page's search fields then open it. */
  hasSearch: boolean
  /** Whether the site's own search works at any path of a host, and not only at the root. */
  isHosted: boolean
  /** Outlines that the site's scripts make where they run. */
  outlines: OutlineModel[]
}
