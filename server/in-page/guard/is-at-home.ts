/** Whether the page is served over HTTP at this path; null = at any path. */
export function isAtHome(ownPath: string | null): boolean {
  const isHosted = /^https?:$/.test(location.protocol)
  return isHosted && (ownPath === null || normalizePath(location.pathname) === normalizePath(ownPath))
}

/** Hosts serve the same page with or without `index`, `.html` and a final slash. */
function normalizePath(path: string): string {
  return decode(path).replace(/(\/index)?(\.x?html?)?\/*$/i, '')
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
