import type { CrawlState, PageOutcome, Resource } from '../crawl/crawl-state.ts'
import { assetKey, linkKey } from '../crawl/site.ts'
import { relativeReference } from './layout.ts'

/** Where an address leads once everything has its place in the bundle. */
export type Destination =
  | { kind: 'inside'; path: string }
  /** Another site: a person may go there, a page may not load from there. */
  | { kind: 'elsewhere'; url: URL }
  | { kind: 'gone'; reason: string }

export interface BundleMap {
  /** For links and frames. */
  findPage(url: URL): Destination
  /** For files that a page loads. */
  findFile(url: URL): Destination
}

const mostHops = 10

/**
 * @param plan path in the bundle by key of page or file.
 * @param aliases pages that are the same as another, by key.
 */
export function createBundleMap(
  state: Pick<CrawlState, 'site' | 'pages' | 'files'>,
  plan: { pages: ReadonlyMap<string, string>; files: ReadonlyMap<string, string> },
  aliases: ReadonlyMap<string, string>,
): BundleMap {
  const { site, pages, files } = state

  function placed(path: string | undefined, otherwise: string): Destination {
    return path === undefined ? { kind: 'gone', reason: otherwise } : { kind: 'inside', path }
  }

  function findFile(url: URL): Destination {
    const key = assetKey(site.own(url) ?? url)
    const outcome = files.get(key)
    if (outcome?.state === 'file') return placed(plan.files.get(key), 'left out')
    return { kind: 'gone', reason: outcome?.reason ?? 'not fetched' }
  }

  return {
    findFile,
    findPage(url) {
      const own = site.own(url)
      if (!own) return { kind: 'elsewhere', url }
      const start = linkKey(own)
      let key = start
      for (let hop = 0; hop < mostHops; hop += 1) {
        key = aliases.get(key) ?? key
        const outcome: PageOutcome | undefined = pages.get(key)
        if (outcome?.state === 'page') return placed(plan.pages.get(key), 'left out')
        if (outcome?.state === 'file') return placed(plan.files.get(outcome.key), 'left out')
        if (outcome?.state === 'elsewhere') return { kind: 'elsewhere', url: outcome.url }
        if (outcome?.state === 'redirect') {
          key = outcome.to
          continue
        }
        const file = hop === 0 ? plan.files.get(assetKey(own)) : undefined
        if (file !== undefined) return { kind: 'inside', path: file }
        if (outcome) return { kind: 'gone', reason: outcome.reason }
        return {
          kind: 'gone',
          reason: site.inScope(own) ? 'not among the exported pages' : `outside of ${site.origin.pathname}`,
        }
      }
      return { kind: 'gone', reason: 'redirects in a circle' }
    },
  }
}

/** Pages that a site answers alike under `/a` and `/a.html`: the longer name, to the shorter. */
export function findAliases(pages: ReadonlyMap<string, PageOutcome>): Map<string, string> {
  const aliases = new Map<string, string>()
  for (const [key, outcome] of pages) {
    if (outcome.state !== 'page' || !key.endsWith('.html')) continue
    const shorter = pages.get(key.slice(0, -5))
    if (shorter?.state === 'page' && isSame(shorter.resource, outcome.resource)) aliases.set(key, shorter.resource.key)
  }
  return aliases
}

function isSame(a: Resource, b: Resource): boolean {
  return a.sha256 === b.sha256 && !a.rendered && !b.rendered
}

/**
 * The reference from a file of the bundle to another; undefined when the address already is that reference.
 *
 * @param address as it stands in the file; its query and fragment stay.
 */
export function referTo(from: string, to: string, address: string): string | undefined {
  const at = address.search(/[?#]/)
  const path = at === -1 ? address : address.slice(0, at)
  const rest = at === -1 ? '' : address.slice(at)
  const reference = from === to && rest !== '' ? '' : relativeReference(from, to)
  return path === reference ? undefined : reference + rest
}
