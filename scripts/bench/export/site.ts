/** A real site to export. Its pages, and how its search and menus work, are known without an exporter. */
export interface BenchSite {
  name: string
  /** Description for the report. */
  description: string
  /** The domain in its sitemap and canonical addresses; absent = none. */
  domain?: string
  /** Whether the exporter was never tuned on this site. */
  isUnseen: boolean
  /** Whether the server sends complete pages, so that rendering them in a browser would only cost time. */
  isServerRendered: boolean
  /** Whether the server answers all unknown paths with index.html and 200, as for single-page apps. */
  hasFallback: boolean
  /** Builds or installs the site once; an existing one is used unchanged. */
  prepare(cacheFolder: string): Promise<PreparedSite>
  /** The theme button and the menu of the site; absent = it has none. */
  app?: SiteApp
  /** The search of the site, if it needs no external service. */
  search?: SiteSearch
}

export interface PreparedSite {
  /** Absolute path of the folder to serve. */
  folder: string
  /** Paths of all its pages as written in its links, without origin, sorted. */
  pages: string[]
}

export interface SiteApp {
  /** JavaScript expression: whether the framework has hydrated the page. */
  hydrated: string
  /** Selector of the button or list that changes the theme. */
  themeToggle: string
  /** JavaScript expression whose value must change after the theme was changed. */
  theme: string
  /** The page to start from, and the path of the link in its menu to click. */
  clickFrom: string
  clickTo: string
  /** Selector of links in the menu. */
  menuLinks: string
}

export interface SiteSearch {
  /** A page with the search; `{query}` is replaced by the words if the address contains them. */
  path: string
  /** Selector to click to open the search; absent if the address opens it. */
  opener?: string
  /** Selector of the field to type into; absent if the address contains the words. */
  field?: string
  /** Selector of the hits; their text is compared. */
  hits: string
  /** Name of the frame with the hits, which may also contain hidden entries; absent = the page has them. */
  frame?: string
  queries: string[]
}
