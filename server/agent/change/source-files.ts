import { isUtf8 } from 'node:buffer'
import { RunError } from '../run-end.ts'
import { isInFolders, Spellings, whyForbidden } from './file-names.ts'
import { type GitSettings, runGit } from './git.ts'

export interface SourceFile {
  path: string
  /** 100644, or 100755 for programs. */
  mode: string
  /** The id of its content. */
  oid: string
  sizeBytes: number
}

export interface SourceFiles {
  /** What agents see and change, by path. */
  files: ReadonlyMap<string, SourceFile>
  /** Entries of the folders that agents do not see: they stay as they are. */
  leftOut: readonly string[]
}

/** 4 times the pages of the largest documentation that Quire exports. An agent with more files sees most of them never. */
const maxFiles = 20_000
/** Pages are smaller. Larger images and films are left out, and stay as they are. */
const maxFileBytes = 16 << 20
/** All files together: a job's folder is written before the agent starts, and is counted by nobody else. */
const maxTotalBytes = 1 << 30
/** About 400,000 entries. */
const maxListBytes = 64 << 20

/** Lists the files of the folders at a commit. The same commit and folders give the same list. */
export async function listSourceFiles(
  opened: { bare: string; folders: readonly string[] },
  commit: string,
  settings: GitSettings,
): Promise<SourceFiles> {
  const args = ['--literal-pathspecs', 'ls-tree', '-r', '-z', '-l', '--full-tree', commit, '--', ...opened.folders]
  const { stdout, isCut } = await runGit(opened.bare, args, settings, { maxOutputBytes: maxListBytes, mayCut: true })
  if (isCut) throw tooMany()
  const entries = parseEntries(stdout).filter(({ path }) => isInFolders(path, opened.folders))
  const spellings = new Spellings(entries.map(({ path }) => path))
  const files = new Map<string, SourceFile>()
  const leftOut: string[] = []
  let totalBytes = 0
  for (const entry of entries) {
    const isFile = entry.mode === '100644' || entry.mode === '100755'
    const isAllowed = isFile && entry.sizeBytes <= maxFileBytes && whyForbidden(entry.path) === undefined
    if (isAllowed && !spellings.isAmbiguous(entry.path)) {
      files.set(entry.path, entry)
      totalBytes += entry.sizeBytes
    } else leftOut.push(entry.path)
  }
  if (files.size > maxFiles || totalBytes > maxTotalBytes) throw tooMany()
  return { files, leftOut }
}

function tooMany(): RunError {
  const most = `${maxFiles} files or ${maxTotalBytes >> 20} MiB`
  return new RunError(
    'source_unavailable',
    `The folders of the repository have more than ${most}. Name only the folders of the documentation.`,
  )
}

/** Reads `MODE TYPE OID SIZE<tab>PATH<nul>` of each entry. Names that are not UTF-8 have U+FFFD, which is forbidden. */
function parseEntries(listing: Buffer): SourceFile[] {
  const entries: SourceFile[] = []
  let start = 0
  for (let end = listing.indexOf(0); end >= 0; end = listing.indexOf(0, start)) {
    const entry = listing.subarray(start, end)
    const tab = entry.indexOf(9)
    const [mode = '', , oid = '', size = ''] = entry.toString('latin1', 0, tab).split(/ +/)
    const name = entry.subarray(tab + 1)
    // A suffix keeps two different names apart.
    const path = isUtf8(name) ? name.toString('utf8') : `${name.toString('latin1')}\ufffd`
    entries.push({ path, mode, oid, sizeBytes: size === '-' ? 0 : Number(size) })
    start = end + 1
  }
  return entries
}
