/** Hears of what a page wanted and the bundle does not have. */
export interface RewriteFindings {
  deadLink(url: URL, reason: string): void
  missingFile(url: URL, reason: string): void
}
