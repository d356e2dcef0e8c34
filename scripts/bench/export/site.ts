/** A real site to export, with what is known of it without any exporter: its pages and how its search and menus work. */
export interface BenchSite {
  name: string
  /** What it is, for the report. */
  description: string
  /** The domain that its sitemap and canonical addresses name. Absent: it names none. */
  domain?: string
  /** True where nobody tuned the exporter on it. */
  isUnseen: boolean
  /** The server sends whole pages: a browser for each of them would only cost. */
  isServerRendered: boolean
  /** The text of index.html answers every unknown path with 200, as single-page apps are served. */
  hasFallback: boolean
  /** Builds or installs it once; what is there already is taken as it is. */
  prepare(cacheFolder: string): Promise<PreparedSite>
  /** What a visitor does beyond reading. Absent where the site has nothing of the kind. */
  app?: SiteApp
  /** Its own search, when it has one that needs no service. */
  search?: SiteSearch
}

export interface PreparedSite {
  /** Absolute path of the folder to serve. */
  folder: string
  /** Paths of all its pages as its own links write them, without origin, sorted. */
  pages: string[]
}

export interface SiteApp {
  /** Expression in the page: whether the framework has taken over. */
  hydrated: string
  /** Selector of the button or list that changes the theme. */
  themeToggle: string
  /** Expression in the page: what must change after a click on it. */
  theme: string
  /** The page to start from, and the path of a link in its menu that is clicked. */
  clickFrom: string
  clickTo: string
  /** Selector of links in the menu. */
  menuLinks: string
}

export interface SiteSearch {
  /** A page it can be used on; `{query}` stands for the words when the address carries them. */
  path: string
  /** Opens the search when the address does not: a selector to click, or none. */
  opener?: string
  /** Selector of the field to type into; none when the address carries the words. */
  field?: string
  /** Selector of the hits; their text is compared. */
  hits: string
  queries: string[]
}
