import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { decodeComponent } from '../../base/path-names.ts'

/** What a version has at a path. */
export type Found =
  | { kind: 'file'; path: string; sizeBytes: number }
  /** The page has this address, which is a path. */
  | { kind: 'moved'; to: string }
  | { kind: 'none' }

const indexNames = ['index.html', 'index.htm', 'index.xhtml']
const none: Found = { kind: 'none' }
const maxPathCharacters = 4096

/**
 * Finds the file for the path of a request, as bundles place pages: `/a/b` is a/b.html and `/a/b/` is a/b/index.html. A path with
 * or without a final slash that only the other one has leads there, because relative links depend on the slash.
 *
 * @param folder with the files of a version.
 * @param path of the request, encoded and without query.
 */
export async function findFile(folder: string, path: string): Promise<Found> {
  const segments = decodePath(path)
  if (!segments) return none
  const isFolder = path.endsWith('/')
  const name = segments.join('/')
  if (segments.length > 0) {
    const file = (!isFolder && (await findOne(folder, name))) || (await findOne(folder, `${name}.html`))
    if (file && !isFolder) return isCanonical(path) ? file : { kind: 'moved', to: encodePath(segments) }
    if (file)
      return (await findIndex(folder, name, indexNames.slice(0, 1))) ?? { kind: 'moved', to: encodePath(segments) }
  }
  const index = await findIndex(folder, name, indexNames)
  if (!index) return none
  if (isFolder && isCanonical(path)) return index
  return { kind: 'moved', to: segments.length === 0 ? '/' : `${encodePath(segments)}/` }
}

/** Two slashes at the beginning of `Location` would name another host. */
function isCanonical(path: string): boolean {
  return !path.includes('//')
}

async function findIndex(folder: string, name: string, names: readonly string[]): Promise<Found | null> {
  for (const index of names) {
    const found = await findOne(folder, name === '' ? index : `${name}/${index}`)
    if (found) return found
  }
  return null
}

async function findOne(folder: string, path: string): Promise<Found | null> {
  try {
    const found = await stat(join(folder, path))
    return found.isFile() ? { kind: 'file', path, sizeBytes: found.size } : null
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return null
    throw error
  }
}

/** Returns the decoded segments of a path without empty ones; null when a file cannot have this path. */
function decodePath(path: string): string[] | null {
  if (!path.startsWith('/') || path.length > maxPathCharacters) return null
  const segments: string[] = []
  for (const part of path.split('/')) {
    if (part === '') continue
    const segment = decodeComponent(part)
    if (segment === null || segment === '.' || segment === '..' || /[/\\\0]/.test(segment)) return null
    segments.push(segment)
  }
  return segments
}

function encodePath(segments: readonly string[]): string {
  return segments.map(segment => `/${encodeURIComponent(segment)}`).join('')
}
