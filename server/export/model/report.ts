import type { Feature } from '../../tenancy/removal-rules.ts'
import type { Deployment } from './features.ts'

export interface ScriptFindings extends ScriptChoice {
  decidedBy: 'browser' | 'rule'
  /** Pages that a browser opened, as paths in the bundle. */
  checkedPages: string[]
  differences: Difference[]
}

/** What an export did and could not do. No times in it: the same site gives the same report. Lists are sorted. */
export interface ExportReport {
  domain: string
  version: string | null
  deployment: Deployment
  pages: number
  /** Pages that a browser rendered; they are kept as they looked then, without the site's own scripts. */
  renderedPages: string[]
  /** Whether a browser confirmed that the server's HTML holds what a reader sees. */
  comparedPages: string[]
  files: number
  redirects: { from: string; to: string }[]
  /** Links to pages of the site that are not in the bundle, with some of the pages that hold them. */
  deadLinks: { to: string; reason: string; count: number; pages: string[] }[]
  /** Files that pages need and that could not be had. */
  missingFiles: { url: string; reason: string; count: number; pages: string[] }[]
  /** Pages left out although something leads to them. */
  skipped: { url: string; reason: string }[]
  /** Pages left out by choice, with the pattern that says so; links to them lead to the public site. */
  excludedPages: { url: string; pattern: string }[]
  /** Products of others that were taken out of pages because their feature is off, or the site's settings say so. */
  removedFeatures: ProductCount[]
  /** Those that stay; they are still loaded from their vendors. */
  keptFeatures: ProductCount[]
  packedThirdParty: string[]
  removedThirdParty: { url: string; reason: string }[]
  /** What the check of the finished bundle found: addresses that do not resolve inside it. */
  unresolved: { page: string; address: string }[]
  /** The search that was packed because it was asked for; null = none. */
  offlineSearch: PackedSearch | null
  /** Where the site's own scripts run in the bundle, and why not everywhere. */
  scripts: Pick<ScriptFindings, 'mode' | 'reason' | 'decidedBy' | 'checkedPages'>
  /** Pages of those that a browser opened that are not what they are at the origin. */
  differences: Difference[]
  notes: string[]
}

/** The report as it goes into the bundle. */
export function writeReport(report: ExportReport): string {
  return `${JSON.stringify(report, null, 2)}\n`
}

/**
 * Where the site's own scripts run in a bundle.
 * - none: it has no scripts
 * - everywhere: at the root of a host, in a folder of one, on file://
 * - hosted: on a host, at its root and in folders; on file:// pages are plain, with our run-time
 * - guarded: at the root of a host only; elsewhere pages are plain in the same way
 * - frozen: nowhere, they are left out
 */
export type ScriptMode = 'none' | 'everywhere' | 'hosted' | 'guarded' | 'frozen'

export interface ScriptChoice {
  mode: ScriptMode
  /** Why not everywhere; null where they run everywhere or there are none. */
  reason: string | null
}

/** A page that is not in some place what it is at the origin. */
export interface Difference {
  page: string
  place: PlaceName
  what: string
}

/** Where a bundle is tried: at the root of a host, below a folder of one, by double click. */
export type PlaceName = 'root' | 'folder' | 'file'

/** What a search can find in a bundle, and what that takes. */
export interface PackedSearch {
  pages: number
  /** Headings, and the tops of pages. */
  sections: number
  terms: number
  files: number
  /** Of the files of its index, before they are packed. */
  sizeBytes: number
}

/** A product that was removed, or kept because its feature is on. */
export interface ProductCount {
  product: string
  /** null = named by the site's settings. */
  feature: Feature | null
  /** How many pages of the bundle had it. */
  pages: number
}
