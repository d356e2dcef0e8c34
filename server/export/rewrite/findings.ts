/** Collects the pages and files that a page refers to and that the bundle lacks. */
export interface RewriteFindings {
  deadLink(url: URL, reason: string): void
  missingFile(url: URL, reason: string): void
}
