import { OperatorError } from '../base/operator-error.ts'

/** A pattern of addresses. */
export interface AddressPattern {
  /** As the user wrote it. */
  text: string
  /** The host, with the prefix `*.` for its subdomains; null = any host, including the site's host. */
  host: string | null
  matches(url: Pick<URL, 'host' | 'pathname' | 'search'>): boolean
}

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
  const anywhere = hostText === '*' ? '.*' : ''
  const pathPattern = new RegExp(`^${anywhere}${path.split('*').map(escapeRegExp).join('.*')}$`, 'i')
  return {
    text: source,
    host,
    matches(url) {
      if (host !== null && !matchesHost(host, url.host)) return false
      return pathPattern.test(hasQuery ? url.pathname + url.search : url.pathname)
    },
  }
}

function matchesHost(host: string, name: string): boolean {
  if (!host.startsWith('*.')) return name === host
  return name.endsWith(host.slice(1))
}

function escapeRegExp(text: string): string {
  return text.replace(/[.+?^${}()|[\]\\]/g, String.raw`\$&`)
}

/** Creates an index that finds the first pattern that matches an address, by host and then by path. */
export function createAddressIndex<T>(entries: readonly { pattern: AddressPattern; of: T }[]) {
  const byHost = new Map<string, { pattern: AddressPattern; of: T }[]>()
  for (const entry of entries) {
    const host = entry.pattern.host ?? ''
    byHost.set(host, [...(byHost.get(host) ?? []), entry])
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
      // Tries patterns with a host first, because they are more specific than a file name.
      for (const host of isOwn ? [''] : [...hosts, ''])
        for (const { pattern, of } of byHost.get(host) ?? []) if (pattern.matches(url)) return of
      return undefined
    },
  }
}
