import { keepSmallestKeys } from '../../base/bounded-map.ts'
import { type AddressPattern, parseAddressPattern } from '../../web/address-pattern.ts'
import type { Site } from './site.ts'

/** Pages that the operator excludes. They are neither fetched nor packed, and links to them lead to the public site. */
export interface Exclusions {
  /** Decides whether the page at this own URL is excluded. */
  has(own: URL): boolean
  /** Records an excluded page for the report. */
  note(key: string, own: URL): void
  /** Returns the first excluded pages, sorted by key. */
  list(): { key: string; pattern: string }[]
  /** Returns sentences for the report. */
  notes(): string[]
}

/** Max excluded pages listed in the report. */
const maxNamed = 1000

/**
 * Creates the exclusions of one export.
 *
 * @param patterns see `parseAddressPattern`. A pattern matches every spelling of a page's path: `/a`, `/a/`,
 * `/a/index.html`.
 */
export function createExclusions(
  patterns: readonly string[],
  site: Pick<Site, 'domain' | 'origin' | 'online'>,
): Exclusions {
  const parsed = patterns.map(parseAddressPattern)
  const named = new Map<string, string>()
  const met = new Set<AddressPattern>()
  let isCut = false

  function matching(own: URL): AddressPattern[] {
    const places = [...new Set([own.host, site.domain])].flatMap(host =>
      spellings(own.pathname).map(pathname => ({ host, pathname, search: own.search })),
    )
    return parsed.filter(pattern => places.some(pattern.matches))
  }

  return {
    has: own => parsed.length > 0 && matching(own).length > 0,
    note(key, own) {
      const [first, ...more] = matching(own)
      if (!first) return
      for (const pattern of [first, ...more]) met.add(pattern)
      named.set(key, first.text)
      isCut = keepSmallestKeys(named, maxNamed).length > 0 || isCut
    },
    list: () =>
      [...named]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .slice(0, maxNamed)
        .map(([key, pattern]) => ({ key, pattern })),
    notes() {
      const notes = parsed
        .filter(pattern => !met.has(pattern))
        .map(({ text }) => `The exclusion ${text} matched no page of the site.`)
      if (named.size > 0)
        notes.push(
          `Pages were excluded by your rules: links to them lead to ${site.online(site.origin).origin}. Scripts, data and search indexes of the site may still contain text from excluded pages.`,
        )
      if (isCut || named.size > maxNamed) notes.push(`Only the first ${maxNamed} excluded pages are listed.`)
      return notes
    },
  }
}

function spellings(path: string): string[] {
  const bare = path.replace(/\/index\.html$/, '/').replace(/\/+$/, '')
  const found = new Set([path, `${bare}/`, ...(bare === '' ? [] : [bare])])
  for (const spelling of [...found]) if (spelling.includes('%')) found.add(decoded(spelling))
  return [...found]
}

/** Returns the path without percent escapes, as people write it. */
function decoded(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}
