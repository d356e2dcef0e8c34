import type { Deployment } from '../../products/features.ts'
import type { FrozenPage, ProductCount } from '../../products/product-removal.ts'

/** The mode and reason of most pages, and the decisions for each group of like pages. */
export interface ScriptFindings extends ScriptChoice {
  /** Groups of pages that load the same scripts, largest first. */
  groups: ScriptGroup[]
  decidedBy: 'browser' | 'rule'
  /** Pages that a browser opened, as paths in the bundle. */
  checkedPages: string[]
  /** Those of the opened pages that nothing was learned from before they were opened. */
  heldOutPages: string[]
  /** Requests and errors that fail at the origin too, without its host. They are no faults of the bundle. */
  originFaults: string[]
  differences: Difference[]
}

/** What is known before the scripts of a site are judged. */
export const notJudged: Omit<ScriptFindings, 'differences'> = {
  mode: 'none',
  reason: null,
  groups: [],
  decidedBy: 'rule',
  checkedPages: [],
  heldOutPages: [],
  originFaults: [],
}

/** Max excluded pages that a report lists. As many mean that there may be more. */
export const maxExcludedPages = 1000

/** Results and problems of an export. Contains no times, so that the same site gives the same report. Lists are sorted. */
export interface ExportReport {
  domain: string
  version: string | null
  /** Date of the line at the end of each page; null = the pages have no such line. */
  stamp: string | null
  deployment: Deployment
  pages: number
  /** Pages that a browser rendered. The bundle has their rendered HTML without the site's own scripts. */
  renderedPages: string[]
  /** Pages for which a browser checked that the server's HTML contains everything that a reader sees. */
  comparedPages: string[]
  files: number
  redirects: { from: string; to: string }[]
  /** Links to pages of the site that are missing from the bundle, with some of the linking pages. */
  deadLinks: { to: string; reason: string; count: number; pages: string[] }[]
  /** Files that pages need but that could not be fetched. */
  missingFiles: { url: string; reason: string; count: number; pages: string[] }[]
  /** Linked pages that were left out. */
  skipped: { url: string; reason: string }[]
  /** Pages excluded by the site's rules, with the pattern that matched; links to them lead to the public site. */
  excludedPages: { url: string; pattern: string }[]
  /** Third-party products that were removed from pages because their feature is off or the site's settings require it. */
  removedFeatures: ProductCount[]
  /** API references that are in the bundle as text, because the deployment cannot have their consoles. */
  frozenReferences: FrozenPage[]
  /** Third-party products that were kept; pages still load them from their vendors. */
  keptFeatures: ProductCount[]
  packedThirdParty: string[]
  removedThirdParty: { url: string; reason: string }[]
  /** Addresses in the finished bundle that do not resolve inside it. */
  unresolved: { page: string; address: string }[]
  /** The search that was packed on request; null = none. */
  offlineSearch: PackedSearch | null
  /** The search of the site, compared with the origin; null = not compared, or the site has no search without a server. */
  siteSearch: SearchFindings | null
  /** Where the site's own scripts run in the bundle, and the reason if they do not run everywhere. */
  scripts: Omit<ScriptFindings, 'differences'>
  /** Pages that look different in the bundle and at the origin. Only pages that a browser opened are compared. */
  differences: Difference[]
  notes: string[]
}

/** Returns the text of the report file. */
export function writeReport(report: ExportReport): string {
  return `${JSON.stringify(report, null, 2)}\n`
}

/**
 * Where the site's own scripts run in a bundle.
 * - none: the site has no scripts
 * - everywhere: at the root of a host, in a folder of a host, and on file://
 * - hosted: on a host, at its root and in folders; on file://, pages are plain and use our runtime
 * - guarded: only at the root of a host; elsewhere, pages are plain and use our runtime
 * - frozen: nowhere, the scripts are left out
 */
export type ScriptMode = 'none' | 'everywhere' | 'hosted' | 'guarded' | 'frozen'

export interface ScriptChoice {
  mode: ScriptMode
  /** Reason why scripts do not run everywhere; null = they run everywhere, or the site has none. */
  reason: string | null
}

/** The decision for pages that load the same scripts. */
export interface ScriptGroup extends ScriptChoice {
  /** Number of pages. */
  pages: number
  /** One of the pages, as path in the bundle. */
  example: string
  /** Checked pages that are unlike the others and got a decision alone. */
  unlike: ({ page: string } & ScriptChoice)[]
}

/** A page that looks different in the bundle than at the origin. */
export interface Difference {
  page: string
  place: PlaceName
  what: string
  /** The text that the page lacks there; undefined = none. */
  loss?: TextLoss
}

/** Text that a page shows at the origin and not in a place, in words. */
export interface TextLoss {
  words: number
  /** How many of these words repeat headings that the page still shows, such as those of an outline that scripts make. */
  repeated: number
  /** Number of words that the page shows at the origin. */
  of: number
}

/** Where a bundle is tested: at the root of a host, in a folder of a host, or on file://. */
export type PlaceName = 'root' | 'folder' | 'file'

/** The hits of the site's own search. */
export interface SearchFindings {
  /** The page on which the search was used, as path in the bundle. */
  page: string
  /** For each word the number of hits at the origin, and in each place of the bundle at most as many. */
  words: ({ word: string; origin: number } & Record<PlaceName, number>)[]
}

/** Contents and size of the packed search. */
export interface PackedSearch {
  pages: number
  /** Number of headings and tops of pages. */
  sections: number
  terms: number
  files: number
  /** Size of the index files before compression. */
  sizeBytes: number
}
