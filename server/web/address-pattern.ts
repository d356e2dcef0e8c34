import { OperatorError } from '../base/operator-error.ts'
import { matchesWildcards, splitWildcards } from './wildcards.ts'

/** A pattern of addresses. */
export interface AddressPattern {
  /** As the user wrote it. */
  text: string
  /** The host, with the prefix `*.` for its subdomains; null = any host, including the site's host. */
  host: string | null
  /** Text from a slash on that each matching path contains, of `signLength` characters in lower case; null = none is known. */
  sign: string | null
  /** A regular expression for host, path and query, for scripts in pages. */
  source: string
  matches(url: Pick<URL, 'host' | 'pathname' | 'search'>): boolean
}

const signLength = 4
const hostPattern = /^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)+(:\d+)?$/

/**
 * Reads a pattern of addresses: `host/path`, without scheme. `*` matches any text. `*.example.com/*` = all subdomains,
 * `* /widget.js` (without the space) = a file of this name on any host, `/js/widget.js` = a path on any host. The query is
 * compared only if the pattern has a `?`.
 *
 * @throws {OperatorError} with the syntax of a valid pattern.
 */
export function parseAddressPattern(text: string): AddressPattern {
  const refuse = (why: string): never => {
    throw new OperatorError(
      `${JSON.stringify(text)} ${why}. A pattern is a host and a path without scheme, with * for anything: cdn.example.com/widget/*, */widget.js or /internal/*`,
      2,
    )
  }
  const source = text.trim()
  const slash = source.indexOf('/')
  if (source.length > 500) refuse('is longer than 500 characters')
  if (/\s|:\/\//.test(source) || source.startsWith('//')) refuse('has a scheme or a space')
  if (slash === -1) refuse('has no path')
  const hostText = source.slice(0, slash).toLowerCase()
  if (hostText !== '' && hostText !== '*' && !hostPattern.test(hostText)) refuse('does not have a valid host name')
  const path = source.slice(slash)
  if ((hostText === '' || hostText === '*') && path.replace(/[*/]/g, '') === '') refuse('would match every address')
  const host = hostText === '' || hostText === '*' ? null : hostText
  const hasQuery = path.includes('?')
  // After `*`, the path may be in any folder. A pattern that begins with its path refers to the root.
  const parts = splitWildcards(`${hostText === '*' ? '*' : ''}${path.toLowerCase()}`)
  const literal = parts.find(part => part !== '') ?? ''
  const hasSign = literal.startsWith('/') && literal.length >= signLength
  return {
    text: source,
    host,
    sign: hasSign ? literal.slice(0, signLength) : null,
    source: writeExpression(host, hostText === '*' ? `*${path}` : path, hasQuery),
    matches(url) {
      if (host !== null && !matchesHost(host, url.host)) return false
      const address = hasQuery ? url.pathname + url.search : url.pathname
      return matchesWildcards(parts, address.toLowerCase())
    },
  }
}

function writeExpression(host: string | null, path: string, hasQuery: boolean): string {
  const quote = (text: string) => text.replaceAll(/[\\^$.+?()[\]{}|]/g, '\\$&').replaceAll(/\*+/g, '.*')
  return `^${host === null ? '[^/]*' : quote(host)}${quote(path)}${hasQuery ? '' : '(\\?.*)?'}$`
}

function matchesHost(host: string, name: string): boolean {
  if (!host.startsWith('*.')) return name === host
  return name.endsWith(host.slice(1))
}

interface AddressEntry<T> {
  pattern: AddressPattern
  of: T
}

/** Groups entries like `Map.groupBy`, which Node 20 does not have: the package for integrators contains this file. */
function groupBy<T, Key>(entries: readonly T[], keyOf: (entry: T) => Key): Map<Key, T[]> {
  const groups = new Map<Key, T[]>()
  for (const entry of entries) groups.set(keyOf(entry), [...(groups.get(keyOf(entry)) ?? []), entry])
  return groups
}

/** Creates an index that finds the first pattern that matches an address, by host and then by path. */
export function createAddressIndex<T>(entries: readonly AddressEntry<T>[]) {
  const byHost = groupBy(entries, ({ pattern }) => pattern.host ?? '')
  const anywhere = (byHost.get('') ?? []).map((entry, order) => ({ ...entry, order }))
  const bySign = groupBy(anywhere, ({ pattern }) => pattern.sign)

  /** Lists the patterns for any host that may match. There are many, and an address contains few of their signs. */
  function listAnywhere({ pathname, search }: URL): readonly AddressEntry<T>[] {
    const address = (pathname + search).toLowerCase()
    const found = new Set(bySign.get(null))
    for (let at = address.indexOf('/'); at !== -1; at = address.indexOf('/', at + 1))
      for (const entry of bySign.get(address.slice(at, at + signLength)) ?? []) found.add(entry)
    return [...found].sort((a, b) => a.order - b.order)
  }

  return {
    /**
     * @param isOwn whether the address belongs to the site. Patterns with a host are then ignored, because a vendor's
     * documentation is not the vendor's product.
     */
    find(url: URL, isOwn: boolean): T | undefined {
      const hosts = [url.host]
      for (let dot = url.host.indexOf('.'); dot !== -1; dot = url.host.indexOf('.', dot + 1))
        hosts.push(`*${url.host.slice(dot)}`)
      const named = isOwn ? [] : hosts.flatMap(host => byHost.get(host) ?? [])
      // Tries patterns with a host first, because they are more specific than a file name.
      const matches = ({ pattern }: AddressEntry<T>) => pattern.matches(url)
      return (named.find(matches) ?? listAnywhere(url).find(matches))?.of
    },
  }
}
