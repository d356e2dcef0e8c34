import { matchesWildcards, splitWildcards } from '../../web/wildcards.ts'

/** The rules of a robots.txt for one user agent (RFC 9309). */
export interface Robots {
  isAllowed(url: URL): boolean
  /** The Crawl-delay in seconds; 0 = none. */
  delaySeconds: number
  /** Addresses of sitemaps, as written. */
  sitemaps: string[]
}

/** Max characters read of robots.txt (RFC 9309 requires at least 500 KiB). Every rule costs time for every address. */
const maxCharacters = 512 * 1024
const maxLineLength = 2000

interface Rule {
  /** The length of the pattern. The longest pattern that matches decides. */
  length: number
  isAllowed: boolean
  parts: string[]
  isWhole: boolean
}

/** The groups of one user agent together. */
interface Group {
  /** By kind and pattern. */
  rules: Map<string, Rule>
  delaySeconds: number
}

/**
 * Reads a robots.txt. Skips lines that are too long, and what exceeds the maximum size.
 *
 * @param origin the origin of the file. It says nothing about addresses of other origins.
 * @param userAgent its name counts, up to a slash. Without a group for the name, the groups for `*` apply.
 */
export function parseRobots(text: string, origin: string, userAgent: string): Robots {
  const ownName = nameOf(userAgent)
  const groups = new Map<string, Group>()
  const sitemaps: string[] = []
  let names = new Set<string>()
  let isHead = false
  for (const { field, value } of readFields(text)) {
    if (field === 'user-agent') {
      if (!isHead) names = new Set()
      const name = nameOf(value)
      if (name === ownName || name === '*') names.add(name)
    } else if (field === 'sitemap') {
      if (value !== '') sitemaps.push(value)
    } else for (const name of names) addTo(groups, name, field, value)
    isHead = field === 'user-agent'
  }
  const group = groups.get(ownName) ?? groups.get('*')
  // Of two patterns of the same length, the one that allows wins.
  const rules = [...(group?.rules.values() ?? [])].sort(
    (a, b) => b.length - a.length || Number(b.isAllowed) - Number(a.isAllowed),
  )
  return {
    isAllowed(url) {
      if (url.origin !== origin) return true
      const path = normalizeEscapes(url.pathname + url.search)
      return rules.find(({ parts, isWhole }) => matchesWildcards(parts, path, isWhole))?.isAllowed ?? true
    },
    delaySeconds: group?.delaySeconds ?? 0,
    sitemaps,
  }
}

function* readFields(text: string): Generator<{ field: string; value: string }> {
  const lines = text.slice(0, maxCharacters).split(/\r\n|\r|\n/)
  if (text.length > maxCharacters) lines.pop()
  for (const line of lines) {
    const colon = line.length <= maxLineLength ? line.split('#', 1)[0]?.indexOf(':') : -1
    if (colon === undefined || colon === -1) continue
    const field = line.slice(0, colon).trim().toLowerCase()
    if (field !== '')
      yield {
        field,
        value:
          line
            .slice(colon + 1)
            .split('#', 1)[0]
            ?.trim() ?? '',
      }
  }
}

function addTo(groups: Map<string, Group>, name: string, field: string, value: string): void {
  if (field !== 'allow' && field !== 'disallow' && field !== 'crawl-delay') return
  const group = groups.get(name) ?? { rules: new Map(), delaySeconds: 0 }
  groups.set(name, group)
  const delaySeconds = Number(value)
  if (field === 'crawl-delay' && !Number.isNaN(delaySeconds)) group.delaySeconds = delaySeconds
  if (field === 'crawl-delay' || value === '') return
  const pattern = normalizePattern(value)
  const isWhole = pattern.endsWith('$')
  const parts = splitWildcards(isWhole ? pattern.slice(0, -1) : pattern)
  group.rules.set(`${field} ${pattern}`, { length: pattern.length, isAllowed: field === 'allow', parts, isWhole })
}

/** Returns the name of a user agent without its version. */
function nameOf(userAgent: string): string {
  return userAgent.toLowerCase().split('/', 1)[0]?.trim() ?? ''
}

function normalizePattern(pattern: string): string {
  try {
    return normalizeEscapes(encodeURI(pattern).replaceAll('%25', '%'))
  } catch {
    return pattern
  }
}

function normalizeEscapes(text: string): string {
  return text.replace(/%[0-9a-f]{2}/gi, escaped => escaped.toUpperCase())
}
