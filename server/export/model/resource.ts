/** A fetched page or file for the bundle. Its bytes are in a file of the work folder. */
export interface Resource {
  key: string
  /** URL after redirects, at the origin if the resource belongs to the site. Base of relative addresses. */
  url: URL
  kind: 'page' | 'stylesheet' | 'script' | 'manifest' | 'drawing' | 'file'
  /** Media type without parameters. */
  type: string
  charset: string
  /** The file with the bytes. Pages share files and have a span instead. */
  file: string
  span: Span | null
  sizeBytes: number
  /** Hash of the fetched bytes. */
  sha256: string
  /** Whether it is a page that a browser rendered. Its scripts have run and are removed. */
  rendered: boolean
  /** Whether it is a page with scripts, inline or loaded. */
  hasScripts: boolean
  /** Identifies the set of scripts of a page. Pages of one template have the same scripts. */
  template?: string
  /** Whether it is a page that only a script shows, in a frame. It is a part of another page. */
  isFramed?: boolean
  /** What distinguishes the markup of a page for scripts, as sorted numbers; see `createMarkReader`. */
  marks?: readonly number[]
}

/**
 * Target of a link. The key is the linkKey. For a path that needs a query, the key is the queryKey; for an app that needs a
 * fragment, the routeKey. `failed` = the origin could not answer; `missing` = the page does not exist.
 */
export type PageOutcome =
  | { state: 'page'; resource: Resource }
  | { state: 'file'; key: string }
  | { state: 'redirect'; to: string }
  | { state: 'elsewhere'; url: URL }
  | { state: 'missing' | 'failed' | 'skipped'; reason: string }
  /** Not requested, because a limit was reached. */
  | { state: 'unvisited'; reason: string }

/** Target of a file's address, by assetKey. */
export type FileOutcome = { state: 'file'; resource: Resource } | { state: 'missing' | 'dropped'; reason: string }

/**
 * Position of a page in a file of many pages. Pages share files, because creating a file takes as long as reading a page.
 */
export interface Span {
  file: string
  start: number
  sizeBytes: number
}

/** Targets of all requested addresses: pages by linkKey, files by assetKey. */
export interface Outcomes {
  pages: ReadonlyMap<string, PageOutcome>
  files: ReadonlyMap<string, FileOutcome>
}
