import { foldName } from '../base/path-names.ts'
import { ArchiveError, showName } from './archive-error.ts'

const maxPathBytes = 2048
const maxSegmentBytes = 255
const maxSegments = 100
/** All names are in memory. Half a million names of 64 bytes fit. */
const maxNameBytes = 32 * 1024 ** 2

/** Checks the names of one archive, one after the other. */
export interface EntryNames {
  /**
   * Returns the normalized path: without `./`, repeated slashes and a final slash. Returns null for the top folder itself.
   *
   * @throws {ArchiveError} when the name leads out of the folder, or another entry has the name. Names are equal if a file
   * system may confuse them.
   */
  check(name: string, isFolder: boolean): string | null
}

export function createEntryNames(): EntryNames {
  const files = new Set<string>()
  /** Spellings of the folders, by folded path. */
  const folders = new Map<string, string>()
  let nameBytes = 0
  /** Archives list the files of a folder one after the other. */
  let lastParent = ''

  function addFolder(path: string, name: string): void {
    const folded = foldName(path)
    if (files.has(folded))
      throw new ArchiveError(`The archive has a file and a folder with the name ${showName(path)}.`)
    const known = folders.get(folded)
    if (known === undefined) folders.set(folded, path)
    else if (known !== path) throw collision(name)
  }

  function addFile(path: string, name: string): void {
    const folded = foldName(path)
    if (files.has(folded) || folders.has(folded)) throw collision(name)
    files.add(folded)
  }

  return {
    check(name, isFolder) {
      const segments = splitName(name)
      if (segments.length === 0) {
        if (isFolder) return null
        throw new ArchiveError(`The archive has a file without a name: ${showName(name)}.`)
      }
      nameBytes += Buffer.byteLength(name)
      if (nameBytes > maxNameBytes)
        throw new ArchiveError(`The names in the archive have more than ${maxNameBytes / 1024 ** 2} MB.`)
      const parent = segments.slice(0, -1).join('/')
      if (parent !== lastParent)
        for (let end = 1; end < segments.length; end += 1) addFolder(segments.slice(0, end).join('/'), name)
      lastParent = parent
      const path = segments.join('/')
      if (isFolder) addFolder(path, name)
      else addFile(path, name)
      return path
    },
  }
}

function collision(name: string): ArchiveError {
  return new ArchiveError(`The archive has two entries that a file system may confuse: ${showName(name)} and another.`)
}

/** Splits a name into its segments, without empty ones and dots. */
function splitName(name: string): string[] {
  const why = findFault(name)
  if (why) throw new ArchiveError(`The archive has an entry with the name ${showName(name)}, which ${why}.`)
  return name.split('/').filter(segment => segment !== '' && segment !== '.')
}

function findFault(name: string): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this expression looks for control characters
  if (/[\u0000-\u001f\u007f]/.test(name)) return 'has a control character'
  if (name.includes('\\')) return 'has a backslash'
  if (name.startsWith('/')) return 'is an absolute path'
  if (/^(?:\.?\/)*[a-z]:/i.test(name)) return 'begins with a drive letter'
  if (Buffer.byteLength(name) > maxPathBytes) return 'is too long'
  const segments = name.split('/')
  if (segments.length > maxSegments) return 'is in too many folders'
  for (const segment of segments) {
    if (segment === '..') return 'leads out of the folder'
    if (Buffer.byteLength(segment) > maxSegmentBytes) return 'is too long'
  }
  return null
}
