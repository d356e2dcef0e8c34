import type { SiteSearch } from '../export/site.ts'
import type { StaticServerOptions } from '../export/static-server.ts'

/** A site of the gallery. It is built or installed into the cache folder once. */
export interface GallerySite {
  name: string
  /** Generator, content and manner of serving, for the table. */
  description: string
  /** Why the bundle differs, where the site itself is the reason. Shown in the table if something is missed. */
  note?: string
  /** Whether its first result is written down before anything is mended. */
  unseen?: boolean
  /**
   * @param cacheFolder absolute path; the site keeps its files in a folder of its own there
   * @throws {OperatorError} when the site cannot be built here.
   */
  prepare(cacheFolder: string): Promise<SiteSource>
  /** The domain in its site map and canonical addresses; absent = the site is exported by its URL. */
  domain?: string
  /** Path of the first page, which is also the scope of the export; absent = `/`. */
  start?: string
  /** Whether its pages are API references: at the origin, their collapsed parts are opened and their consoles are removed. */
  isReference?: boolean
  /** JavaScript expression: whether the framework runs; absent = the frameworks are recognized by their marks in the page. */
  hydrated?: string
  /** Selector of the theme button; absent = it is recognized by its name. */
  themeToggle?: string
  /** The local search of the site; absent = it has none. */
  search?: SiteSearch
}

/** A site that is ready to be served. */
export type SiteSource = FolderSource | ProgramSource

export interface FolderSource {
  /** Absolute path of the folder to serve. */
  folder: string
  /** The habits of its host. */
  habits?: StaticServerOptions
  /** Paths of all pages, where no crawl of the HTML finds them, because scripts make the links. */
  pages?: readonly string[]
}

/** A site that a program serves on a local port. */
export interface ProgramSource {
  folder: string
  command(port: number): { program: string; args: string[] }
}
