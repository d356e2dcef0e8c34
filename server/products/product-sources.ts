import type { Features } from './features.ts'
import { knownProducts } from './products.ts'

/** Returns the hosts of address patterns as sources of a Content-Security-Policy. A pattern for any host has none. */
export function sourcesOf(patterns: readonly string[]): string[] {
  return patterns.flatMap(pattern => {
    const host = pattern.slice(0, pattern.indexOf('/'))
    return host === '' || host === '*' ? [] : [`https://${host}`, `wss://${host}`]
  })
}

/** Lists the sources of known products, by name, whose feature is on; sorted. Unknown names have none. */
export function listSources(names: ReadonlySet<string>, features: Features): string[] {
  const kept = knownProducts.filter(({ name, feature }) => features[feature] && names.has(name))
  return [...new Set(kept.flatMap(({ addresses = [] }) => sourcesOf(addresses)))].sort()
}
