/** Endings of files that contain the data of a page: /a.json, /a/index.txt or /a/_payload.json for the page /a. */
const dataEnding = /(?:\/(?:index|_\w+(?:\.\w+)*))?\.(?:json|txt|js|html?|data)$/

/** Each slash of an address costs time for the rest of the address. No page has a longer one. */
const maxLength = 2000

/**
 * Finds the requests for pages that a page links to, or for the data of these pages. Apps make such requests ahead of a
 * click. Does not know any app: it compares the paths.
 *
 * @param asked addresses that scripts of the page requested.
 * @param links addresses of the page's links.
 * @param own the address of the page.
 */
export function findLinkData(asked: readonly string[], links: readonly string[], own: string): string[] {
  const ownPath = barePath(own)
  const linked = new Set(
    links
      .filter(({ length }) => length <= maxLength)
      .map(barePath)
      .filter(path => path !== '' && path !== ownPath),
  )
  return asked.filter(address => {
    if (address.length > maxLength) return false
    const path = barePath(address)
    // The data may be in a folder, as in /data/build-7/a/b.json for /a/b.
    for (let at = 0; at !== -1; at = path.indexOf('/', at + 1)) if (linked.has(path.slice(at))) return true
    return false
  })
}

/** Returns the path of an address without the endings of pages and their data. */
function barePath(address: string): string {
  const path = URL.parse(address)?.pathname ?? ''
  return path.replace(dataEnding, '').replace(/(?<!\/)\/+$/, '')
}
