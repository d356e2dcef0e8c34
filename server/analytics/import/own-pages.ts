import { type KnownPage, type Page, type RefusedPage, toPage } from '../page.ts'

/**
 * What a path must not be if it only begins as a setting says: a site has pictures and prefetched data beside its pages, and scanners ask
 * for what it does not have.
 */
const neverByBeginning: readonly RefusedPage['refusal'][] = ['asset', 'router-data', 'scan']

/**
 * Finds the pages that a project counts although the rules for all projects say no: paths (`/feed`), all that begin so
 * (`/api/*`) except for assets, data of routers and targets of scanners, and all with an ending (`*.pdf`).
 */
export class OwnPages {
  readonly #paths: ReadonlySet<string>
  readonly #beginnings: readonly string[]
  readonly #endings: readonly string[]
  /** By what the cache of pages holds for a target. */
  readonly #known = new WeakMap<RefusedPage, Page>()

  constructor(pages: readonly string[]) {
    this.#paths = new Set(pages.filter(page => !page.includes('*')))
    this.#beginnings = pages.filter(page => page.endsWith('*')).map(page => page.slice(0, -1))
    this.#endings = pages.filter(page => page.startsWith('*')).map(page => page.slice(1))
  }

  /**
   * Returns the page of a target that the rules for all projects refuse, or what they say.
   *
   * @param readTarget returns what `toPage` takes
   */
  find(usual: Page, readTarget: () => string): Page {
    if (usual.refusal === undefined || usual.refusal === 'bad-path' || usual.refusal === 'sent-view') return usual
    // Readers of files for AI are counted as such.
    if (usual.llmsFile !== undefined) return usual
    let page = this.#known.get(usual)
    if (!page) {
      const asked = toPage(readTarget(), { isPage: true })
      page = asked.refusal === undefined && this.#has(asked, usual.refusal) ? asked : usual
      this.#known.set(usual, page)
    }
    return page
  }

  #has({ path }: KnownPage, refusal: RefusedPage['refusal']): boolean {
    if (this.#paths.has(path) || this.#endings.some(ending => path.toLowerCase().endsWith(ending))) return true
    return !neverByBeginning.includes(refusal) && this.#beginnings.some(beginning => beginsSo(path, beginning))
  }
}

/** Whether a canonical path begins so. The page of a folder has no slash at its end. */
export function beginsSo(path: string, beginning: string): boolean {
  return path.startsWith(beginning) || `${path}/` === beginning
}
