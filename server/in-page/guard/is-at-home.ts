/** Decides whether the page is served over HTTP at this path; null = at any path. */
export function isAtHome(ownPath: string | null): boolean {
  const isHosted = /^https?:$/.test(location.protocol)
  return isHosted && (ownPath === null || normalizePath(location.pathname) === normalizePath(ownPath))
}

/** Removes `index`, `.html` and a final slash, because hosts serve the same page with or without them. */
function normalizePath(path: string): string {
  return decodePath(path)
    .replace(/(?<!\/)\/+$/, '')
    .replace(/(\/index)?(\.x?html?)?$/i, '')
}

/** Returns the path as it is when its escapes are invalid. */
export function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
