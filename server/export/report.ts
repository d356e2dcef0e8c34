import type { Deployment } from './features.ts'

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
  packedThirdParty: string[]
  removedThirdParty: { url: string; reason: string }[]
  /** What the check of the finished bundle found: addresses that do not resolve inside it. */
  unresolved: { page: string; address: string }[]
  notes: string[]
}

/** The report as it goes into the bundle. */
export function writeReport(report: ExportReport): string {
  return `${JSON.stringify(report, null, 2)}\n`
}
