import type { Answerer } from '../../web/browser/browser-request.ts'
import type { PageLook } from '../../web/browser/page-look.ts'
import type { CrawlTools, MutableSite } from '../crawl/crawl-tools.ts'

import type { FileCollector } from '../crawl/file-collector.ts'
import type { MissingPage } from '../crawl/missing-probe.ts'
import type { FetchedPage } from '../crawl/page-completer.ts'
import type { ExportLog } from '../model/stage-clock.ts'
import type { CompletionFindings } from './completion-findings.ts'
import type { FragmentApps } from './fragment-apps.ts'
import type { PageViews } from './page-views.ts'
import type { ScriptLinks } from './script-links.ts'
import type { Templates } from './templates.ts'

export interface PageCompleterOptions {
  tools: CrawlTools
  found: MutableSite
  files: FileCollector
  /** Answers the requests of pages in a browser. */
  answer: Answerer
  missing: MissingPage
  startKey: string
  /** Whether a browser also checks pages whose HTML seems complete. */
  compares: boolean
  /** Whether the export may go on without an API reference that the browser does not show in its time. */
  allowLoss: boolean
  signal: AbortSignal
  log: ExportLog | undefined
}

/** The state shared by the parts of a page completer. */
export interface Completion extends PageCompleterOptions {
  views: PageViews
  templates: Templates
  apps: FragmentApps
  scriptLinks: ScriptLinks
  findings: CompletionFindings
  /** Comparisons under way. */
  comparisons: Promise<void>[]
  /** Keys of pages with tabs whose panels only scripts make. */
  lacksPanels: Set<string>
  /** Compared pages whose HTML is complete except for menus. */
  menuPages: FetchedPage[]
  /** Pages kept as they were fetched that a browser showed as at the origin, by key. */
  looks: Map<string, PageLook>
}
