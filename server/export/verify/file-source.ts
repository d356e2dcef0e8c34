/** Fetches the files that the check of a bundle asks for. */
export interface FileSource {
  /** Asks for a file that a page loaded. */
  needLoaded(url: URL): void
  /** Asks for a file of another host that a script loaded. Ignores files of the site. */
  needScripted(url: URL): void
  /** Resolves when every file that was asked for is fetched or known to be missing, with the files it needs in turn. */
  finish(): Promise<void>
}
