const maxLength = 2048

/** The pattern of `paths` in spec/schemas/StartExport.yaml, which a test compares. */
export const pagePathPattern =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are refused
  /^(?!.*\/\/)(?!(.*\/)?(\.|%2[Ee]){1,2}(\/|$))(?!.*%(?![0-9A-Fa-f]{2}))(?!.*%(2[Ff]|5[Cc]|[01][0-9A-Fa-f]|7[Ff]))(?![^/]*:)[^\s?#\\\u0000-\u001f\u007f]+$/

/** What `isPagePath` accepts, in words that follow "must be". */
export const pagePathRule =
  'the path of a page without query, fragment, white space, empty segments and dot segments; write a space as %20'

/** Whether a text may be one of the `paths` of a start. */
export function isPagePath(given: string): boolean {
  return given.length <= maxLength && pagePathPattern.test(given)
}

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
