import type { RenderedPage } from '../../web/browser/renderer.ts'
import { readPageLinks } from '../../web/html/page-links.ts'
import { rawOf } from '../../web/html/text-encoding.ts'
import type { CollectedSite } from '../crawl/crawl-tools.ts'
import { linkKey } from '../model/site.ts'
import type { PageViews } from './page-views.ts'

/**
 * Finds pages whose only links are added to complete pages by scripts, such as a menu or a list of related pages.
 * Reads the links in the pages of a template that are opened for other reasons. If these links lead to new pages, opens one
 * more page of the template. If that page has further links, opens all pages of the template.
 */
export interface ScriptLinks {
  /**
   * Reads the links of a page that a browser showed and whose fetched HTML is kept.
   *
   * @param siblings keys of the other pages of its template; may grow.
   */
  note(key: string, shown: RenderedPage, siblings: readonly string[]): void
  /**
   * Returns the site's links to unknown pages. Called when no other link is left, and again when these were followed.
   *
   * @param isKnown whether the crawl knows a page, by its key.
   */
  next(isKnown: (key: string) => boolean): Promise<URL[]>
  /** Returns the keys of the pages found, and of the pages opened to find them. */
  found(): { pages: string[]; opened: string[] }
}

/** Max pages of one template that are opened for their links. */
const maxOpened = 200

interface LinkedTemplate {
  siblings: readonly string[]
  /** Keys of the opened pages. */
  opened: string[]
  /** The links of the opened pages, by key. */
  links: Map<string, URL>
  /** Keys of the links followed last. */
  followed: string[]
  /** How many further pages were opened. */
  hasOpened: 'none' | 'one' | 'all'
}

interface Links {
  collected: Pick<CollectedSite, 'site' | 'pages'>
  views: Pick<PageViews, 'tryShow'>
  templates: Map<readonly string[], LinkedTemplate>
  followed: Set<string>
  opened: string[]
}

export function createScriptLinks(
  collected: Pick<CollectedSite, 'site' | 'pages'>,
  views: Pick<PageViews, 'tryShow'>,
): ScriptLinks {
  const links: Links = { collected, views, templates: new Map(), followed: new Set(), opened: [] }
  return {
    note: (key, shown, siblings) => noteLinks(links, { key, shown, siblings }),
    next: isKnown => findNext(links, isKnown),
    found: () => ({
      pages: [...links.followed].filter(key => isPage(links, key)).sort(),
      opened: links.opened.toSorted(),
    }),
  }
}

async function findNext(links: Links, isKnown: (key: string) => boolean): Promise<URL[]> {
  const found: URL[] = []
  const first = ({ opened }: LinkedTemplate) => opened.reduce((a, b) => (a < b ? a : b))
  for (const template of [...links.templates.values()].sort((a, b) => (first(a) < first(b) ? -1 : 1))) {
    const mayHaveMore = template.followed.some(key => isPage(links, key)) && template.hasOpened !== 'all'
    const urls = takeUnknown(links, template, isKnown)
    for (const url of urls) found.push(url)
    if (urls.length > 0 || !mayHaveMore) continue
    await openMore(links, template)
    for (const url of takeUnknown(links, template, isKnown)) found.push(url)
  }
  return found
}

function noteLinks(
  { collected, templates }: Links,
  { key, shown, siblings }: { key: string; shown: RenderedPage; siblings: readonly string[] },
): void {
  const { site } = collected
  const empty: LinkedTemplate = { siblings, opened: [], links: new Map(), followed: [], hasOpened: 'none' }
  const template = templates.get(siblings) ?? empty
  templates.set(siblings, template)
  template.opened.push(key)
  for (const link of readPageLinks(rawOf(shown.html), shown.url).links) {
    const own = site.own(link)
    if (own && site.inScope(own)) template.links.set(linkKey(own), own)
  }
}

function takeUnknown(links: Links, template: LinkedTemplate, isKnown: (key: string) => boolean): URL[] {
  const unknown = [...template.links].filter(([key]) => !isKnown(key)).sort(([a], [b]) => (a < b ? -1 : 1))
  template.links.clear()
  template.followed = unknown.map(([key]) => key)
  for (const key of template.followed) links.followed.add(key)
  return unknown.map(([, url]) => url)
}

/** Opens one more page of a template on the first call, and all others on the second call. */
async function openMore(links: Links, template: LinkedTemplate): Promise<void> {
  const others = template.siblings.filter(key => !template.opened.includes(key)).sort()
  // Prefers pages that no script link led to, because the others may have no further links.
  const likely = others.filter(key => !links.followed.has(key))
  const isFirst = template.hasOpened === 'none'
  const chosen = isFirst ? (likely.length > 0 ? likely : others).slice(-1) : others.slice(0, maxOpened)
  template.hasOpened = isFirst ? 'one' : 'all'
  links.opened.push(...chosen)
  await Promise.all(chosen.map(key => openPage(links, template, key)))
}

async function openPage(links: Links, { siblings }: LinkedTemplate, key: string): Promise<void> {
  const outcome = links.collected.pages.get(key)
  if (outcome?.state !== 'page' || outcome.resource.rendered) return
  const view = await links.views.tryShow(outcome.resource)
  if (view) noteLinks(links, { key, shown: view.shown, siblings })
}

function isPage({ collected }: Links, key: string): boolean {
  return collected.pages.get(key)?.state === 'page'
}
