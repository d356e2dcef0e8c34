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
}
