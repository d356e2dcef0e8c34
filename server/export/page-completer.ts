import type { CrawlState } from './crawl-state.ts'
import type { MissingPage } from './discover.ts'
import { ExportError } from './export-error.ts'
import { judgePage } from './page-text.ts'
import type { FetchedPage } from './visit-page.ts'

export interface PageCompleterOptions {
  state: CrawlState
  missing: MissingPage
  startKey: string
  signal: AbortSignal
  log: ((details: object, message: string) => void) | undefined
}

/** Decides for each page whether the server's HTML is all of it, and gets the rest from a browser. */
export function createPageCompleter({ state }: PageCompleterOptions) {
  return {
    async complete(page: FetchedPage): Promise<FetchedPage | null> {
      if (judgePage(page.text) !== 'shell') return page
      const message = `${state.site.domain} builds its pages in the browser.`
      throw new ExportError(message, 'browser_missing')
    },
    async review(): Promise<FetchedPage[]> {
      return []
    },
    isRendering: () => false,
    findings: () => ({ renderedPages: [] as string[], comparedPages: [] as string[], notes: [] as string[] }),
    async close() {},
  }
}
