import type { Features } from '../../products/features.ts'
import type { RemovalRules } from '../../tenancy/removal-rules.ts'
import type { PageText } from '../../web/html/page-text.ts'
import type { UrlRole } from '../../web/html/url-attributes.ts'
import type { ScriptNeed } from '../../web/javascript/script-needs.ts'
import type { Span } from '../model/resource.ts'
import type { LinkTargets } from '../rewrite/bundle-map.ts'

/** Settings for all pages of one export. */
export interface PageWorkSetup {
  domain: string
  origin: string
  features: Features
  removal: RemovalRules | null
  /** Folder for cleaned pages. */
  folder: string
}

/** A page as received, to be cleaned, read and kept. */
export interface ReadTask {
  bytes: Uint8Array
  /** From the Content-Type header; null when it names none. */
  charset: string | null
  url: string
  /** Whether the page is XHTML. */
  isXhtml?: boolean
  /** Whether a browser rendered it; then it keeps no scripts. */
  isRendered: boolean
  /** The words of the page for a made-up address, if this page may be such a page. */
  missing: { words: string[]; asked: string } | null
}

export interface ReadPage {
  /** When true, no other member counts. */
  isMissing: boolean
  charset: string
  /** The place of the cleaned page. */
  span: Span
  sizeBytes: number
  /** Of the received bytes. */
  sha256: string
  text: PageText
  /** Addresses of the site's own pages, without duplicates, with fragments that may name a page. */
  links: string[]
  assets: { url: string; role: UrlRole }[]
  /** Files that its inline scripts may load. */
  guesses: string[]
  /** What its inline scripts certainly load. */
  scriptNeeds: ScriptNeed[]
  importMaps: { text: string; base: string }[]
  /** Names of products that were found in it. */
  products: string[]
}

/** The layout of the bundle, the same for all pages. */
export interface WriteSetup {
  folder: string
  targets: LinkTargets
  paths: ReadonlySet<string>
  /** Path of a script that pages load before their own; null = none. */
  loader: string | null
  /** Whether pages load the search of the bundle. */
  hasSearch: boolean
}

/** A kept page, to be rewritten for its place in the bundle and checked. */
export interface WriteTask {
  span: Span
  charset: string
  url: string
  isRendered: boolean
  /** In the bundle. */
  path: string
  /** External sources that its policy allows. */
  sources: readonly string[]
  /** Whether a search service was removed from it. */
  losesSearch: boolean
  /** Its path on the site, if its scripts may start only there; null = they are unchanged. */
  guardedAt: string | null
  /** The page as the site sent it, for an app that starts in place of this page; null = none. */
  app: { span: Span; charset: string; url: string } | null
}

export interface WrittenPage {
  deadLinks: [url: string, reason: string][]
  missingFiles: [url: string, reason: string][]
  /** Addresses that do not resolve in the bundle. */
  unresolved: string[]
  /** Whether its inline styles name fonts. */
  hasFonts: boolean
}

/** The work on each page that needs no network, done in a thread or here. */
export interface PageWork {
  read(task: ReadTask): ReadPage
  /** Comes before `write`. */
  beginWriting(setup: WriteSetup): void
  write(task: WriteTask): WrittenPage
  close(): void
}

/** A request to a thread. */
export type WorkerRequest =
  | { id: number; read: ReadTask }
  | { id: number; write: WriteTask }
  | { beginWriting: WriteSetup }

/** A thread's answer. */
export type WorkerAnswer = { id: number; value: unknown } | { id: number; error: Error; code: string | undefined }
