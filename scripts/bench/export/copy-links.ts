import { statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { PreparedSite } from './site.ts'
import { findFile } from './static-server.ts'

/** The folder of a copy, and the address of its root with a trailing slash. */
export interface Place {
  folder: string
  root: string
}

/** Creates a check whether the origin has a path. If the origin answers unknown paths with 200, its list of pages is used. */
export function createIsAlive(site: PreparedSite, hasFallback: boolean): (path: string) => boolean {
  const pages = new Set(site.pages.map(page => page.replace(/\/$/, '')))
  return path => {
    const bare = decodePath(path).replace(/\/$/, '')
    if (pages.has(bare)) return true
    const found = findFile(site.folder, path)
    // The source of a document is not a page.
    return found !== null && !(hasFallback && found.isFolder)
  }
}

/**
 * Compares the links of a page at the origin and in a copy.
 *
 * @return `broken`: links of the copy that fail or point to the origin, although the origin has their target; `lost`:
 * pages of the copy that the page at the origin links to, but the copied page does not.
 */
export function compareLinks(
  original: { links: readonly string[]; root: string },
  copy: { links: readonly string[]; place: Place },
  isAlive: (path: string) => boolean,
): { broken: string[]; lost: string[] } {
  const originHost = new URL(original.root).host
  const targets = new Set<string>()
  const broken: string[] = []
  for (const link of copy.links) {
    const url = URL.parse(link)
    if (!url || !/^(https?|file):$/.test(url.protocol)) continue
    const file = findTarget(url, copy.place)
    if (file !== null) targets.add(file)
    else if (url.host === originHost || url.host === new URL(copy.place.root).host) {
      const inCopy = url.href.startsWith(copy.place.root)
      const path = inCopy ? `/${url.pathname.slice(new URL(copy.place.root).pathname.length)}` : url.pathname
      if (isAlive(path)) broken.push(link)
    }
  }
  const lost: string[] = []
  for (const link of original.links) {
    const url = URL.parse(link)
    if (!url || url.host !== originHost || !isAlive(url.pathname)) continue
    const file = findFile(copy.place.folder, url.pathname)?.file
    if (file !== undefined && !targets.has(file)) lost.push(url.pathname)
  }
  return { broken, lost: [...new Set(lost)] }
}

/** Returns the file of the copy that a link opens; null = none. On file://, a link to a folder opens no page. */
function findTarget(url: URL, { folder, root }: Place): string | null {
  if (!url.href.startsWith(root)) return null
  if (url.protocol !== 'file:')
    return findFile(folder, `/${url.pathname.slice(new URL(root).pathname.length)}`)?.file ?? null
  const file = fileURLToPath(url)
  return statSync(file, { throwIfNoEntry: false })?.isFile() ? file : null
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
