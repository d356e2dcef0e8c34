import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { findFile } from './static-server.ts'

/** Content of a copy. */
export interface Copy {
  /** Number of the site's pages that are in the copy. */
  pages: number
  /** The first missing pages. */
  missing: string[]
  files: number
  bytes: number
}

/** Looks up every page of a site in its copy as a static host would, and sums the sizes of all files. */
export function sizeCopy(folder: string, pages: readonly string[]): Copy {
  const missing = pages.filter(page => findFile(folder, page) === null)
  const sizes = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => statSync(join(entry.parentPath, entry.name)).size)
  return {
    pages: pages.length - missing.length,
    missing: missing.slice(0, 20),
    files: sizes.length,
    bytes: sizes.reduce((sum, size) => sum + size, 0),
  }
}
