import type { Answerer } from '../../web/browser/browser-request.ts'
import type { PageLook } from '../../web/browser/page-look.ts'
import type { ExportReport } from '../model/report.ts'
import type { MutableSite } from './collected-site.ts'
import type { CrawlTools } from './crawl-tools.ts'
import type { FileCollector } from './file-collector.ts'

/** A collected site, and the tools to fetch what the bundle check finds missing. */
export interface Collection {
  collected: MutableSite
  report: ExportReport
  tools: CrawlTools
  files: FileCollector
  /** Answers the requests of pages in a browser. */
  answer: Answerer
  /** Pages kept as they were fetched that the crawl showed in a browser, by key. */
  looks: ReadonlyMap<string, PageLook>
}
