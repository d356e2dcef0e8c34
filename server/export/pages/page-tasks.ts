import type { RemovalRules } from '../../tenancy/removal-rules.ts'
import type { PageText } from '../../web/html/page-text.ts'
import type { UrlRole } from '../../web/html/url-attributes.ts'
import type { ScriptNeed } from '../../web/javascript/script-needs.ts'
import type { Features } from '../model/features.ts'
import type { Span } from '../model/resource.ts'
import type { LinkTargets } from '../rewrite/bundle-map.ts'

/** What the work on all pages of one export has in common. */
export interface PageWorkSetup {
  domain: string
  origin: string
  features: Features
  removal: RemovalRules | null
  /** For what is kept of pages. */
  folder: string
}

/** A page as it came, to be cleaned, read and kept. */
export interface ReadTask {
  bytes: Uint8Array
  /** By the header; null when it names none. */
  charset: string | null
  url: string
  /** It was written for a reader of XML. */
  isXhtml?: boolean
  /** A browser made it: it keeps no scripts. */
  isRendered: boolean
  /** What stands for missing pages, when this may be one of them. */
  missing: { words: string[]; asked: string } | null
}

export interface ReadPage {
  /** The only member that counts when it is true. */
  isMissing: boolean
  charset: string
  /** Where the cleaned page is. */
  span: Span
  sizeBytes: number
  /** Of the bytes as they came. */
  sha256: string
  text: PageText
  /** Addresses of the site's own pages, each once, with fragments that may name one. */
  links: string[]
  assets: { url: string; role: UrlRole }[]
  /** Files that its inline scripts seem to load. */
  guesses: string[]
  /** What those name for sure. */
  scriptNeeds: ScriptNeed[]
  importMaps: { text: string; base: string }[]
  /** Products that it holds or held, by name. */
  products: string[]
}

/** Where everything is in the bundle; for all pages the same. */
export interface WriteSetup {
  folder: string
  targets: LinkTargets
  paths: ReadonlySet<string>
  /** Path of a script that pages load before their own; null = none. */
  loader: string | null
  /** Whether pages load the search of the bundle. */
  hasSearch: boolean
}

/** A kept page, to be rewritten into its place in the bundle and checked there. */
export interface WriteTask {
  span: Span
  charset: string
  url: string
  isRendered: boolean
  /** In the bundle. */
  path: string
  /** What its policy lets it load from outside. */
  sources: readonly string[]
  /** Whether a search service was taken out of it. */
  losesSearch: boolean
  /** Its path on the site, when its scripts are to start only there; null = they stay as they are. */
  guardedAt: string | null
  /** The page as the site sent it, for an app that starts in the place of this one; null = none does. */
  app: { span: Span; charset: string; url: string } | null
}

export interface WrittenPage {
  deadLinks: [url: string, reason: string][]
  missingFiles: [url: string, reason: string][]
  /** Addresses that do not resolve in the bundle. */
  unresolved: string[]
  /** Its own style rules name fonts. */
  hasFonts: boolean
}

/** The work that is done for every page and needs no network: in a thread of its own, or here. */
export interface PageWork {
  read(task: ReadTask): ReadPage
  /** Comes before `write`. */
  beginWriting(setup: WriteSetup): void
  write(task: WriteTask): WrittenPage
  close(): void
}

/** What a thread is asked for. */
export type WorkerRequest =
  | { id: number; read: ReadTask }
  | { id: number; write: WriteTask }
  | { beginWriting: WriteSetup }

/** What it answers. */
export type WorkerAnswer = { id: number; value: unknown } | { id: number; error: Error; code: string | undefined }
