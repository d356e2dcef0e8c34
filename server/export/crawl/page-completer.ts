import type { PageOutcome, Resource } from '../model/resource.ts'
import type { ReadPage } from '../pages/page-tasks.ts'

/** A page as the server sent it, or as a browser made it. */
export interface FetchedPage {
  resource: Resource
  content: ReadPage
}

/** Decides whether the HTML of a page is complete, and gets the rest from a browser. */
export interface PageCompleter {
  /** Returns the page to keep; null for a soft 404. */
  complete(page: FetchedPage): Promise<FetchedPage | null>
  /**
   * Whether a page shows other pages for other fragments.
   *
   * @param routes some of its fragments, as keys.
   */
  isApp(key: string, routes: readonly string[]): Promise<boolean>
  /** Renders the page of an app that a key names. */
  renderRoute(key: string): Promise<FetchedPage | PageOutcome>
  /** Starts to compare the templates found so far with what a browser shows. Called after each generation. */
  startComparisons(): void
  /**
   * Waits for the comparisons. Called when no link is left.
   *
   * @return pages that replace the fetched ones, and pages that gained links.
   */
  review(): Promise<FetchedPage[]>
  /**
   * Finds links that only scripts add. Called when no other link is left, and again when those were followed.
   *
   * @param isKnown whether the crawl knows a page, by its key.
   */
  findScriptLinks(isKnown: (key: string) => boolean): Promise<URL[]>
}
