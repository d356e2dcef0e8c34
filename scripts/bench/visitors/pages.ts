const sections = [
  'guides',
  'api/v1.2',
  'reference',
  'concepts/storage',
  'integrations',
  'release-notes/2026',
  'caf%C3%A9',
]
const topics = ['install', 'configure', 'deploy', 'webhooks', 'errors', 'limits', 'node.js', 'search']

/** Returns the canonical paths of a site of `count` pages, most visited first, beginning with the home page. */
export function createPaths(count: number): string[] {
  return Array.from({ length: count }, (_, i) =>
    i === 0 ? '/' : `/${sections[i % sections.length]}/${topics[(i * 5) % topics.length]}-${i}`,
  )
}
