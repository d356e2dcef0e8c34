import type { RenderedPage } from '../../web/browser/renderer.ts'
import { readPageLinks } from '../../web/html/page-links.ts'
import { rawOf } from '../../web/html/text-encoding.ts'
import type { CrawlState } from '../crawl/crawl-state.ts'
import type { Resource } from '../model/resource.ts'
import { linkKey } from '../model/site.ts'

/**
 * Finds pages that are linked only by what scripts add to pages that are complete without them: a menu, a list of related
 * pages. It is seen in the pages of a template that are opened anyway. Where it led to new pages, one more of the template is
 * opened, and all of them where that one knows further ones.
 */
export interface ScriptLinks {
  /**
   * Hears of a page that a browser showed, and that stays as it was fetched.
   *
   * @param siblings keys of the other pages of its template; may grow.
   */
  note(key: string, shown: RenderedPage, siblings: readonly string[]): void
  /**
   * Own links that nothing else led to. Comes when no other link is left, and again when those were followed.
   *
   * @param isKnown whether a page was met already, by its key.
   */
  next(isKnown: (key: string) => boolean): Promise<URL[]>
  /** Pages that were found so, and those that were opened for it, by key. */
  found(): { pages: string[]; opened: string[] }
}

/** So many pages of a template are opened for their links. */
const maxOpened = 200

interface Template {
  siblings: readonly string[]
  /** Keys of the pages that were opened. */
  opened: string[]
  /** What their links lead to, by key. */
  links: Map<string, URL>
  /** Keys of what was followed last. */
  followed: string[]
  hasAsked: 'none' | 'one' | 'all'
}

/** @param show opens a kept page in a browser; null when that cannot show it. */
export function createScriptLinks(
  { site, pages }: Pick<CrawlState, 'site' | 'pages'>,
  show: (page: Resource) => Promise<RenderedPage | null>,
): ScriptLinks {
  const templates = new Map<readonly string[], Template>()
  const followed = new Set<string>()
  const asked: string[] = []
  const isPage = (key: string) => pages.get(key)?.state === 'page'

  function note(key: string, { html, url }: RenderedPage, siblings: readonly string[]): void {
    const begun: Template = { siblings, opened: [], links: new Map(), followed: [], hasAsked: 'none' }
    const template = templates.get(siblings) ?? begun
    templates.set(siblings, template)
    template.opened.push(key)
    for (const link of readPageLinks(rawOf(html), url).links) {
      const own = site.own(link)
      if (own && site.inScope(own)) template.links.set(linkKey(own), own)
    }
  }

  function take(template: Template, isKnown: (key: string) => boolean): URL[] {
    const fresh = [...template.links].filter(([key]) => !isKnown(key)).sort(([a], [b]) => (a < b ? -1 : 1))
    template.links.clear()
    template.followed = fresh.map(([key]) => key)
    for (const key of template.followed) followed.add(key)
    return fresh.map(([, url]) => url)
  }

  async function openMore(template: Template): Promise<void> {
    const others = template.siblings.filter(key => !template.opened.includes(key)).sort()
    // What a script led to may lead no further.
    const likely = others.filter(key => !followed.has(key))
    const chosen =
      template.hasAsked === 'none' ? (likely.length > 0 ? likely : others).slice(-1) : others.slice(0, maxOpened)
    template.hasAsked = template.hasAsked === 'none' ? 'one' : 'all'
    asked.push(...chosen)
    await Promise.all(
      chosen.map(async key => {
        const outcome = pages.get(key)
        const isFetched = outcome?.state === 'page' && !outcome.resource.rendered
        const shown = isFetched ? await show(outcome.resource) : null
        if (shown) note(key, shown, template.siblings)
      }),
    )
  }

  return {
    note,
    async next(isKnown) {
      const found: URL[] = []
      const first = ({ opened }: Template) => opened.reduce((a, b) => (a < b ? a : b))
      for (const template of [...templates.values()].sort((a, b) => (first(a) < first(b) ? -1 : 1))) {
        const ledOn = template.followed.some(isPage) && template.hasAsked !== 'all'
        const links = take(template, isKnown)
        found.push(...links)
        if (links.length > 0 || !ledOn) continue
        await openMore(template)
        found.push(...take(template, isKnown))
      }
      return found
    },
    found: () => ({ pages: [...followed].filter(isPage).sort(), opened: asked.toSorted() }),
  }
}
