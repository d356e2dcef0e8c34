import type { Document } from './documents.ts'

/** A site to export: how it is made, once, in the cache folder, and what its pages can do. */
export type Site = SiteFacts & (DebianManual | NpmProject | ProgramProject)

interface SiteFacts {
  name: string
  /** Generator, content and manner of serving. */
  description: string
  /** Why the bundle differs, where the site itself is the reason. Shown in the table if something is missed. */
  note?: string
  /** Path of the first page, which is also the scope of the export; absent = `/`. */
  start?: string
  /** Whether `keep` cuts pages that others link. An export of such a site must be allowed to lose pages. */
  isCut?: boolean
  /** Paths of pages that only scripts link, from which links lead to the other pages. */
  known?: readonly string[]
  /** The folder of the host that the site is served in; absent = `/`. */
  prefix?: string
  /** Whether the server answers unknown paths with index.html and 200, and scripts make the pages and their links. */
  isApp?: boolean
  /** Whether its pages are API references: at the origin, their collapsed parts are opened and their consoles are removed. */
  isReference?: boolean
  /** JavaScript expression: whether the framework runs; absent = the frameworks are recognized by their marks in the page. */
  hydrated?: string
  /** Selector of the theme button; absent = it is recognized by its name. */
  themeToggle?: string
  /** The local search of the site; absent = it has none. */
  search?: SiteSearch
}

/** The manual in Debian packages: pages that nobody made for a test. */
interface DebianManual {
  /** The package, and those with the files that its links lead to. */
  debian: readonly string[]
  /** The folder with the manual in the package. */
  folder: string
  /** Matches the files to serve by their path, where the manual has more than some hundred pages; absent = all. */
  keep?: RegExp
}

interface Project {
  /** Makes the address of a link to a document from its slug and the slug of the page; absent = the site has no documents. */
  link?(slug: string, from: string): string
  /** Text of the files of the project, by path. */
  files(documents: readonly Document[]): Record<string, string>
  /** The folder of the project with the built site; absent = out. */
  out?: string
}

/** A project that npm installs and builds. */
export interface NpmProject extends Project {
  /** Packages with their exact versions, and of those that others depend on. */
  npm: Record<string, string>
  overrides?: Record<string, string>
  /** The kind of its scripts; absent = modules, null = each file tells it. */
  type?: 'commonjs' | null
  build: string
  env?: Record<string, string>
  /** Arguments for node, run in the folder of the project, that serve the site on PORT; absent = a static server. */
  serve?: readonly string[]
}

/** A project that a program of Debian builds. */
export interface ProgramProject extends Project {
  /** Packages to install if the program is missing. */
  packages: readonly string[]
  /** Absolute path of the program, and its arguments. */
  command: readonly [program: string, ...args: string[]]
  /** Packages of npm with sources that it reads, with their exact versions. */
  npm?: Record<string, string>
}

export interface SiteSearch {
  /** A page with the search; `{query}` is replaced by the words if the address contains them. */
  path: string
  /** Selector to click to open the search; absent if the address opens it. */
  opener?: string
  /** Selector of the field to type into; absent if the address contains the words. */
  field?: string
  hits: string
  /** Name of the frame with the hits, which may also contain hidden entries; absent = the page has them. */
  frame?: string
  /** Absent = words of the documents that the sites share. */
  queries?: readonly string[]
}

/** A site that is ready to be served. */
export interface SiteSource {
  /** Absolute path of the folder to serve, or to run `serve` in. */
  folder: string
  serve?: readonly string[]
  prefix?: string
  isApp?: boolean
  /** Paths of pages that no crawl of the HTML finds. */
  pages?: readonly string[]
}
