import { createBrowserTabs } from './browser-tabs.ts'
import type { LaunchOptions } from './launch.ts'
import { toBrowserRequest } from './tab.ts'
import type { ViewAnswerer } from './viewer.ts'
import { startWatching } from './watched-tab.ts'

export interface PdfPrinter {
  /**
   * Prints a page without scripts as a tagged PDF with an outline of its headings.
   *
   * @throws {Error} when the browser failed twice.
   */
  print(address: string, answer: ViewAnswerer): Promise<Buffer>
  close(): Promise<void>
}

/** Max time for one PDF, and max files that it shows. */
const printWithinMs = 300_000
const maxRequests = 20_000

/**
 * Starts a browser without access to the network that prints.
 *
 * @throws {BrowserStartError}
 */
export async function openPdfPrinter(options: LaunchOptions & { signal: AbortSignal }): Promise<PdfPrinter> {
  const tabs = createBrowserTabs({ ...options, pageTimeoutMs: printWithinMs, maxTabs: 1 })
  const pool = await tabs.open()
  return {
    print: (address, answer) =>
      pool.run(async tab => {
        tab.showing = startWatching(maxRequests, {
          ...{ address, staysOnReload: false, isOutside: () => false },
          answer: (request, isNavigation) => answer(toBrowserRequest(request, isNavigation)),
        })
        await tab.page.goto(address, { waitUntil: 'load', timeout: printWithinMs })
        const paper = { preferCSSPageSize: true, printBackground: true }
        return Buffer.from(await tab.page.pdf({ ...paper, tagged: true, outline: true, timeout: printWithinMs }))
      }),
    close: tabs.close,
  }
}
