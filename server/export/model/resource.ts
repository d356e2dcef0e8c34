/** Something fetched that goes into the bundle; its bytes wait in a file of the work folder. */
export interface Resource {
  key: string
  /** After redirects, at the origin when it is the site's own: what its relative addresses are relative to. */
  url: URL
  kind: 'page' | 'stylesheet' | 'script' | 'manifest' | 'file'
  /** Media type without parameters. */
  type: string
  charset: string
  /** Of its own; a page has a span instead. */
  file: string
  span: Span | null
  sizeBytes: number
  /** Of the bytes as they were fetched. */
  sha256: string
  /** A page as a browser left it; its scripts have done their work and are dropped. */
  rendered: boolean
  /** A page that holds or loads a program. */
  hasScripts: boolean
}

/** What a link leads to, by linkKey; by queryKey on a path that needs a query, by routeKey in an app that needs a fragment. `failed` = the origin could not answer, as opposed to a page that is not there. */
export type PageOutcome =
  | { state: 'page'; resource: Resource }
  | { state: 'file'; key: string }
  | { state: 'redirect'; to: string }
  | { state: 'elsewhere'; url: URL }
  | { state: 'missing' | 'failed' | 'skipped'; reason: string }
  /** Not asked for, since a limit was reached before. */
  | { state: 'unvisited'; reason: string }

/** What an asset's address leads to, by assetKey. */
export type FileOutcome = { state: 'file'; resource: Resource } | { state: 'missing' | 'dropped'; reason: string }

/** Where a page stands in a file that holds many: to create a file for each takes as long as to read it. */
export interface Span {
  file: string
  start: number
  sizeBytes: number
}

/** What every address that was asked for leads to: pages by linkKey, files by assetKey. */
export interface Outcomes {
  pages: ReadonlyMap<string, PageOutcome>
  files: ReadonlyMap<string, FileOutcome>
}
