/** Collects the pages and files that a page refers to but that are missing from the bundle. */
export interface RewriteFindings {
  deadLink(url: URL, reason: string): void
  missingFile(url: URL, reason: string): void
}
