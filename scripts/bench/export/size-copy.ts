import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { findFile } from './static-server.ts'

/** What a copy holds. */
export interface Copy {
  /** Pages of the site that are in it. */
  pages: number
  /** The first of those that are not. */
  missing: string[]
  files: number
  bytes: number
}

/** Looks for every page of a site in a copy of it, the way a static host would, and sums up all files. */
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
