/**
 * Converts the `paths` of a start (spec/schemas/StartExport.yaml) to paths on the site: each begins with a slash, `index` is
 * the first page, and a page that is named twice is listed once. Returns null for the whole site.
 */
export function toPagePaths(given: readonly string[]): string[] | null {
  if (given.length === 0) return null
  return [...new Set(given.map(toPagePath))]
}

function toPagePath(given: string): string {
  const path = given.startsWith('/') ? given : `/${given}`
  return path === '/index' ? '/' : path
}
