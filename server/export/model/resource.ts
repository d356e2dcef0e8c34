/** A fetched page or file for the bundle; its bytes are in a file of the work folder. */
export interface Resource {
  key: string
  /** After redirects, and at the origin if it belongs to the site. Its relative addresses are relative to this. */
  url: URL
  kind: 'page' | 'stylesheet' | 'script' | 'manifest' | 'file'
  /** Media type without parameters. */
  type: string
  charset: string
  /** The file with its bytes; pages share files and have a span instead. */
  file: string
  span: Span | null
  sizeBytes: number
  /** Of the fetched bytes. */
  sha256: string
  /** Whether it is a page that a browser rendered; its scripts have run and are dropped. */
  rendered: boolean
  /** Whether it is a page with scripts, inline or loaded. */
  hasScripts: boolean
}

/**
 * What a link leads to. The key is the linkKey, on a path that needs a query the queryKey, in an app that needs a fragment the
 * routeKey. `failed` = the origin could not answer; `missing` = there is no such page.
 */
export type PageOutcome =
  | { state: 'page'; resource: Resource }
  | { state: 'file'; key: string }
  | { state: 'redirect'; to: string }
  | { state: 'elsewhere'; url: URL }
  | { state: 'missing' | 'failed' | 'skipped'; reason: string }
  /** Not requested, because a limit was reached. */
  | { state: 'unvisited'; reason: string }

/** What the address of a file leads to, by assetKey. */
export type FileOutcome = { state: 'file'; resource: Resource } | { state: 'missing' | 'dropped'; reason: string }

/** The place of a page in a file of many pages: creating a file takes as long as reading a page. */
export interface Span {
  file: string
  start: number
  sizeBytes: number
}

/** What every requested address leads to: pages by linkKey, files by assetKey. */
export interface Outcomes {
  pages: ReadonlyMap<string, PageOutcome>
  files: ReadonlyMap<string, FileOutcome>
}
