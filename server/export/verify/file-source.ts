/** Fetches the files that the bundle check requests. */
export interface FileSource {
  /** Requests a file that a page loaded. */
  needLoaded(url: URL): void
  /** Requests a file of another host that a script loaded. Ignores files of the site. */
  needScripted(url: URL): void
  /** Resolves when every requested file, and every file that it needs, is fetched or known to be missing. */
  finish(): Promise<void>
}
