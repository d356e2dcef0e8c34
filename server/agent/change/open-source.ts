import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { findNearestName } from '../../base/nearest-name.ts'
import type { AgentSource } from '../agent-source.ts'
import { RunError } from '../run-end.ts'
import { isInFolders } from './file-names.ts'
import { askGit, GitError, type GitSettings, runGit } from './git.ts'
import { listSourceFiles, type SourceFile } from './source-files.ts'
import { checkBranch, checkFolder, checkSourceUrl } from './source-names.ts'

export interface OpenedSource {
  /** The bare repository. The agent never sees it. */
  bare: string
  /** The folder with the files that the agent sees and changes. */
  tree: string
  /** The commit on which the change is built. */
  base: string
  /** The target branch, and its commit. */
  branch: string
  target: string
  /** The commit at which the job's branch left the target branch. Differences are shown from here. */
  fork: string
  /** The folders that this run may change. Empty = the whole repository. */
  folders: readonly string[]
  /** Entries of the folders that the agent does not see. */
  leftOut: number
}

export interface OpenOptions extends GitSettings {
  /** Created; must not exist, or be empty. */
  bare: string
  /** Created; must not exist, or be empty. */
  tree: string
  /** The target branch. */
  branch: string
  /** Only this folder, which is one of the source or in one of them. */
  folder?: string | undefined
  /** The branch that an earlier run of this job published, as `publishChange` returned it. If it is gone, the target is used. */
  continueFrom?: string | undefined
  /** The largest file that git may write. Default: 4 GiB. A repository of documentation has far less at one commit. */
  maxPackBytes?: number | undefined
}

/** The history that is read to find where an earlier branch left the target. More runs of one job are not expected. */
const continuedDepth = 50
/** Blobs that are in memory at once. */
const batchBytes = 16 << 20
const batchFiles = 2000
/** Names in a sentence about one that does not exist, and those that are compared with it. */
const maxNamed = 5
const maxNamedCharacters = 100
const maxCompared = 2000
const maxListedBytes = 256 << 10
const heads = '\trefs/heads/'

/**
 * Fetches the branch into a bare repository, and writes the files of the folders below `tree`.
 *
 * @throws {RunError} source_unavailable, unknown_branch or unknown_folder
 */
export async function openSource(source: AgentSource, options: OpenOptions): Promise<OpenedSource> {
  const { bare, tree } = options
  const url = checkSourceUrl(source.url, { isHttpAllowed: true })
  const branch = checkBranch(options.branch)
  const folders = chooseFolders(source.folders, options.folder)
  await mkdir(bare, { recursive: true, mode: 0o700 })
  await mkdir(tree, { recursive: true })
  const depth = options.continueFrom === undefined ? 1 : continuedDepth
  try {
    await runGit(bare, ['init', '--quiet', '--bare', '--template=', '-b', 'unused', bare], options)
    await fetchRef(bare, { url, ref: `refs/heads/${branch}`, to: targetRef, depth }, options)
  } catch (error) {
    throw isMissingRef(error) ? await describeMissingBranch(bare, { url, branch }, options) : describeFailure(error)
  }
  const target = await askGit(bare, ['rev-parse', '--verify', `${targetRef}^{commit}`], options)
  const { base, fork } = await findBase({ bare, url, target }, options)
  const { files, leftOut } = await listSourceFiles({ bare, folders }, base, options)
  if (files.size === 0) throw await describeEmpty(source, { bare, base, branch }, options)
  await writeFiles(bare, tree, [...files.values()], options)
  return { bare, tree, base, branch, target, fork, folders, leftOut: leftOut.length }
}

const targetRef = 'refs/quire/target'
const continuedRef = 'refs/quire/continued'

function chooseFolders(allowed: readonly string[], folder: string | undefined): readonly string[] {
  const folders = allowed.map(checkFolder)
  if (folder === undefined) return folders
  const chosen = checkFolder(folder)
  if (!isInFolders(`${chosen}/`, folders))
    throw new RunError('source_unavailable', `Agents may not change the folder ${chosen} of this project.`)
  return [chosen]
}

async function findBase(at: { bare: string; url: string; target: string }, options: OpenOptions) {
  const { bare, url, target } = at
  const unchanged = { base: target, fork: target }
  const { continueFrom } = options
  if (continueFrom === undefined) return unchanged
  const ref = continueFrom.startsWith('refs/') ? continueFrom : `refs/heads/${continueFrom}`
  checkBranch(ref)
  try {
    await fetchRef(bare, { url, ref, to: continuedRef, depth: continuedDepth }, options)
  } catch (error) {
    if (isMissingRef(error)) return unchanged
    throw describeFailure(error)
  }
  const base = await askGit(bare, ['rev-parse', '--verify', `${continuedRef}^{commit}`], options)
  return { base, fork: await findFork(bare, target, base, options) }
}

async function findFork(bare: string, target: string, base: string, settings: GitSettings): Promise<string> {
  try {
    return await askGit(bare, ['merge-base', target, base], settings)
  } catch (error) {
    // Exit 1: none is known, because the target has moved on by more commits than were read.
    if (error instanceof GitError && error.exitCode === 1) return target
    throw error
  }
}

/** Fetches one reference, without its tags and submodules. */
export async function fetchRef(
  bare: string,
  { url, ref, to, depth }: { url: string; ref: string; to: string; depth: number },
  settings: GitSettings & Pick<OpenOptions, 'maxPackBytes'>,
): Promise<void> {
  const args = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', `--depth=${depth}`]
  await runGit(bare, [...args, '--', url, `+${ref}:${to}`], settings, {
    ...{ url, maxFileBytes: settings.maxPackBytes ?? 4 * 2 ** 30 },
  })
}

function isMissingRef(error: unknown): boolean {
  return error instanceof GitError && /couldn't find remote ref/.test(error.message)
}

/** Names the branches of people. A repository that does not answer this question has shown none. */
async function describeMissingBranch(
  bare: string,
  { url, branch }: { url: string; branch: string },
  settings: GitSettings,
): Promise<RunError> {
  const call = { url, maxOutputBytes: maxListedBytes, mayCut: true }
  const listed = await runGit(bare, ['ls-remote', '--heads', '--', url], settings, call).catch(error => {
    if (error instanceof GitError) return undefined
    throw error
  })
  // The last line is empty, or cut.
  const lines = listed?.stdout.toString('utf8').split('\n').slice(0, -1) ?? []
  const branches = lines.map(line => line.slice(line.indexOf(heads) + heads.length))
  const own = branches.filter(name => !name.startsWith('quire/'))
  return new RunError('unknown_branch', `The repository has no branch ${branch}.${nameSome(branch, own)}`)
}

/** Says why there is nothing to change. */
async function describeEmpty(
  { folders }: AgentSource,
  { bare, base, branch }: { bare: string; base: string; branch: string },
  options: OpenOptions,
): Promise<RunError> {
  const { folder } = options
  const nothing = 'files that an agent may change'
  if (folder === undefined)
    return new RunError('source_unavailable', `The branch ${branch} has no ${nothing} in its folders.`)
  const all = await listSourceFiles({ bare, folders: folders.map(checkFolder) }, base, options).catch(error => {
    // There are too many files to name their folders.
    if (error instanceof RunError) return undefined
    throw error
  })
  const known = new Set([...(all?.files.keys() ?? [])].flatMap(listParents))
  const named = nameSome(folder, [...known].sort())
  return new RunError('unknown_folder', `The branch ${branch} has no folder ${folder} with ${nothing}.${named}`)
}

function listParents(path: string): string[] {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}

/** Writes a sentence with a few names that exist, first the one that was probably meant. */
function nameSome(given: string, all: readonly string[]): string {
  const known = all.filter(name => name.length <= maxNamedCharacters).slice(0, maxCompared)
  const nearest = findNearestName(given, known)
  const names = [...new Set(nearest === undefined ? known : [nearest, ...known])].slice(0, maxNamed)
  if (names.length === 0) return ''
  const more = all.length > names.length ? ` and ${all.length - names.length} more` : ''
  return ` It has ${names.join(', ')}${more}.`
}

function describeFailure(error: unknown): unknown {
  if (!(error instanceof GitError)) return error
  return new RunError('source_unavailable', describe(error), { cause: error })
}

function describe(error: GitError): string {
  const { message } = error
  if (isRefused(error))
    return 'The repository does not exist, or it refused the credential. Check its address, and store a credential that may read it.'
  if (/Host key verification failed/.test(message)) return 'The key of the SSH host is not the known one.'
  if (/Could not resolve host/i.test(message)) return 'The host of the repository was not found.'
  if (/unable to update url base from redirection|returned error: 30[1278]/.test(message))
    return 'The address of the repository redirects to another one. Store the new address.'
  if (/dubious ownership/.test(message))
    return 'The folder of the repository belongs to another account than the server.'
  if (/signal 25|file size limit/i.test(message)) return 'The repository is too large.'
  if (/took too long/.test(message)) return 'The repository took too long to answer.'
  return 'The repository cannot be read. The log of the server has the reason.'
}

/** Whether the repository refused the credential. Forges also answer so for repositories that do not exist. */
export function isRefused({ message }: GitError): boolean {
  return /Authentication failed|could not read (?:Username|Password)|Permission denied|returned error: 40[134]|not found|does not (?:exist|appear)/i.test(
    message,
  )
}

async function writeFiles(
  bare: string,
  tree: string,
  files: readonly SourceFile[],
  settings: GitSettings,
): Promise<void> {
  const folders = new Set([tree])
  for (const batch of divideFiles(files)) {
    const input = batch.map(({ oid }) => `${oid}\n`).join('')
    const maxOutputBytes = 2 * batchBytes + batch.length * 200
    const { stdout } = await runGit(bare, ['cat-file', '--batch', '--buffer'], settings, { input, maxOutputBytes })
    let at = 0
    for (const { path, mode, sizeBytes } of batch) {
      // "OID blob SIZE", a line break, the content, a line break.
      const start = stdout.indexOf(10, at) + 1
      const file = join(tree, path)
      const folder = dirname(file)
      if (!folders.has(folder)) await mkdir(folder, { recursive: true })
      folders.add(folder)
      const content = stdout.subarray(start, start + sizeBytes)
      await writeFile(file, content, { flag: 'wx', mode: mode === '100755' ? 0o755 : 0o644 })
      at = start + sizeBytes + 1
    }
  }
}

function* divideFiles(files: readonly SourceFile[]): Generator<SourceFile[]> {
  let batch: SourceFile[] = []
  let bytes = 0
  for (const file of files) {
    if (batch.length === batchFiles || (batch.length > 0 && bytes + file.sizeBytes > batchBytes)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(file)
    bytes += file.sizeBytes
  }
  if (batch.length > 0) yield batch
}
