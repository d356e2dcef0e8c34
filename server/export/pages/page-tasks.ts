import type { Features } from '../../products/features.ts'
import type { RemovalRules } from '../../tenancy/removal-rules.ts'
import type { UrlRole } from '../../web/html/page-links.ts'
import type { PageText } from '../../web/html/page-text.ts'
import type { ScriptNeed } from '../../web/javascript/script-needs.ts'
import type { Span } from '../model/resource.ts'
import type { LinkTargets } from '../rewrite/bundle-map.ts'

/** Settings for all pages of one export. */
export interface PageWorkSetup {
  domain: string
  origin: string
  features: Features
  removal: RemovalRules | null
  /** Whether a browser can show API references whose feature is off; without one, they are removed. */
  freezesReferences: boolean
  /** Folder for cleaned pages. */
  folder: string
}

/** A received page to clean, read and keep. */
export interface ReadTask {
  bytes: Uint8Array
  /** From the Content-Type header; null when the header names no charset. */
  charset: string | null
  url: string
  /** Whether the page is XHTML. */
  isXhtml?: boolean
  /** Whether a browser rendered the page. Its scripts are then removed. */
  isRendered: boolean
  /** Whether API references whose feature is off are removed, because no browser could show them. */
  removesReferences?: boolean
  /** The words of the not-found page and its made-up address, if this page may be a not-found page; otherwise null. */
  missing: { words: string[]; asked: string } | null
}

export interface ReadPage {
  /** When true, ignore all other members. */
  isMissing: boolean
  charset: string
  /** Position of the cleaned page. */
  span: Span
  sizeBytes: number
  /** Hash of the received bytes. */
  sha256: string
  text: PageText
  /** The marks of `createMarkReader`. */
  marks: number[]
  /** Whether the page has tabs whose panels only scripts make. */
  lacksPanels: boolean
  /** Number of buttons in the content. */
  controls: number
  /** Addresses of the site's own pages, without duplicates. Fragments are kept if they may name a page. */
  links: string[]
  /** Positions in `links` of the links inside the page's navigation. */
  navigation: number[]
  assets: { url: string; role: UrlRole }[]
  /** Files that the page's inline scripts may load. */
  guesses: string[]
  /** Resources that the page's inline scripts certainly load. */
  scriptNeeds: ScriptNeed[]
  importMaps: { text: string; base: string }[]
  /** Names of the products found in the page. */
  products: string[]
}

/** The layout of the bundle, the same for all pages. */
export interface WriteSetup {
  folder: string
  targets: LinkTargets
  paths: ReadonlySet<string>
  /** Path of a script that pages load before the site's scripts; null = none. */
  loader: string | null
  /** Whether pages with scripts load the script that answers requests on file://. */
  hasPacked: boolean
  /** Whether pages load the search of the bundle. */
  hasSearch: boolean
  /** Paths of the pages that get a Markdown twin; empty = none. */
  twins: ReadonlySet<string>
  /** The line at the end of each page; null = none. */
  stamp: string | null
}

/** A kept page to rewrite for its place in the bundle and to check. */
export interface WriteTask {
  span: Span
  charset: string
  url: string
  isRendered: boolean
  /** Path of the page in the bundle. */
  path: string
  /** External sources that the page's policy allows. */
  sources: readonly string[]
  /** Whether a search service was removed from the page. */
  losesSearch: boolean
  /** Path of the page on the site, if its scripts may start only there; null = its scripts are unchanged. */
  guardedAt: string | null
  /** The page as the site sent it, for an app that replaces this page; null = none. */
  app: { span: Span; charset: string; url: string } | null
}

export interface WrittenPage {
  deadLinks: [url: string, reason: string][]
  missingFiles: [url: string, reason: string][]
  /** Addresses that do not resolve in the bundle. */
  unresolved: string[]
  /** Whether the page's inline styles name fonts. */
  hasFonts: boolean
  /** Whether the page may show parts of SVG files. */
  hasSprites: boolean
}

/** A finished page of the bundle that gets a Markdown twin. */
export interface TwinTask {
  path: string
  charset: string
  /** The page on its site. */
  address: string
}

/** What a list of the twins says about one. */
export interface WrittenTwin {
  path: string
  title: string
  description: string
  sizeBytes: number
}

/** Work on pages that needs no network. Runs in a worker thread or in the calling thread. */
export interface PageWork {
  read(task: ReadTask): ReadPage
  /** Must be called before `write`. */
  beginWriting(setup: WriteSetup): void
  write(task: WriteTask): WrittenPage
  /** Writes the Markdown twin of a page that is final. */
  twin(task: TwinTask): WrittenTwin
  close(): void
}

/** A request to a thread. */
export type WorkerRequest =
  | { id: number; read: ReadTask }
  | { id: number; write: WriteTask }
  | { id: number; twin: TwinTask }
  | { beginWriting: WriteSetup }

/** A thread's answer. */
export type WorkerAnswer = { id: number; value: unknown } | { id: number; error: Error; code: string | undefined }
