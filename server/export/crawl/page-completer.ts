import type { PageOutcome, Resource } from '../model/resource.ts'
import type { ReadPage } from '../pages/page-tasks.ts'

/** A page as the server sent it, or as a browser rendered it. */
export interface FetchedPage {
  resource: Resource
  content: ReadPage
}

/** Decides whether the HTML of a page is complete, and completes it in a browser if necessary. */
export interface PageCompleter {
  /** Returns the page to keep; null for a soft 404. */
  complete(page: FetchedPage): Promise<FetchedPage | null>
  /**
   * Decides whether a page shows different pages for different fragments.
   *
   * @param routes some of its fragments, as keys.
   */
  isApp(key: string, routes: readonly string[]): Promise<boolean>
  /** Renders the page of an app, given by its key. */
  renderRoute(key: string): Promise<FetchedPage | PageOutcome>
  /** Starts to compare the templates found so far with their rendering in a browser. Called after each generation. */
  startComparisons(): void
  /**
   * Waits for the comparisons. Called when no link is left.
   *
   * @return pages that replace the fetched ones, and pages that gained links.
   */
  review(): Promise<FetchedPage[]>
  /**
   * Finds links that only scripts add. Called when no other link is left, and again when the found links were followed.
   *
   * @param isKnown whether the crawl knows a page, by its key.
   */
  findScriptLinks(isKnown: (key: string) => boolean): Promise<URL[]>
}
