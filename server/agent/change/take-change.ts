import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunLimits } from '../agent-settings.ts'
import { RunError } from '../run-end.ts'
import { listPrefixes, Spellings } from './file-names.ts'
import { askGit, type GitSettings, runGit } from './git.ts'
import type { OpenedSource } from './open-source.ts'
import { listSourceFiles, type SourceFiles } from './source-files.ts'
import { listTree, readTreeFile, refuse, startDigest, type TreeFile } from './walk-tree.ts'

export interface ChangedFile {
  path: string
  status: 'added' | 'changed' | 'removed'
  /** Lines. 0 for files that are not text. */
  added: number
  removed: number
}

/** What a job did, as one commit on top of the source. Lines, files and the difference count from where its branch began. */
export interface Change {
  commit: string
  files: readonly ChangedFile[]
  added: number
  removed: number
  /** The unified diff. */
  diff: string
  isDiffCut: boolean
}

export interface ReadOptions extends GitSettings {
  limits: Pick<RunLimits, 'changedFiles' | 'fileBytes'>
}

export interface TakeOptions extends ReadOptions {
  limits: ReadOptions['limits'] & Pick<RunLimits, 'changedLines'>
  message: string
  /** The time of the commit, in milliseconds since 1970 UTC: the same at each attempt gives the same commit. */
  now: number
}

/** The author and committer. `publishChange` replaces commits that it made itself. */
export const agentIdentity = { name: 'Quire agent', email: 'agent@quire.invalid' }

/** What a page of the dashboard can show. */
const maxDiffBytes = 1 << 20
/** A name of 1,000 bytes for each of the 20,000 files that an agent may see. */
const maxNumbersBytes = 32 << 20
/** Folders without files, which no commit has. */
const maxFolders = 20_000

/**
 * Commits what changed in the agent's tree, and returns null if nothing did. git never reads the tree: each file is read here and
 * given to git as content, so that no link is followed, and no filter, hook or configuration in the tree is used.
 *
 * @throws {RunError} change_limit, change_refused
 */
export async function takeChange(opened: OpenedSource, options: TakeOptions): Promise<Change | null> {
  const { bare, base } = opened
  const found = await readTree(opened, options)
  if (found.written.length + found.removed.length === 0) return null
  const tree = await writeTree(opened, found, options)
  const counts = await countLines(bare, base, tree, options)
  checkLines(counts, options.limits.changedLines)
  const commit = await commitTree(bare, { tree, base }, options)
  const files = opened.fork === base ? counts : await countLines(bare, opened.fork, commit, options)
  const call = { maxOutputBytes: maxDiffBytes, mayCut: true }
  const diff = await runGit(bare, [...diffArguments('--patch'), opened.fork, commit], options, call)
  const text = diff.stdout.toString('utf8')
  return {
    ...{ commit, files, added: sum(files.map(file => file.added)), removed: sum(files.map(file => file.removed)) },
    diff: diff.isCut ? text.slice(0, text.lastIndexOf('\n') + 1) : text,
    isDiffCut: diff.isCut,
  }
}

/** The files of an agent's tree, and which of them differ from the source. */
export interface FoundTree {
  source: SourceFiles
  present: readonly TreeFile[]
  written: readonly TreeFile[]
  /** Paths. */
  removed: readonly string[]
}

/**
 * Finds the files of the agent's tree, and refuses what is never committed.
 *
 * @throws {RunError} change_limit, change_refused
 */
export async function readTree(opened: OpenedSource, options: ReadOptions): Promise<FoundTree> {
  const { changedFiles } = options.limits
  const source = await listSourceFiles(opened, opened.base, options)
  const present = await listTree(opened.tree, opened.folders, source.files.size + changedFiles + maxFolders)
  const kept = new Set(present.map(({ path }) => path))
  const removed = [...source.files.keys()].filter(path => !kept.has(path))
  const written = await findWritten(opened.tree, present, source, options)
  const count = written.length + removed.length
  if (count > changedFiles) throw tooMuch(`${count} files`, `${changedFiles} files`)
  checkNames(source, written, removed)
  return { source, present, written, removed }
}

function tooMuch(found: string, allowed: string): RunError {
  return new RunError('change_limit', `The agent changed ${found}. A job may change ${allowed}.`)
}

/** Finds the new and changed files. A file of another size is not read yet, so that a sparse file of 1 TB costs nothing. */
async function findWritten(
  tree: string,
  present: readonly TreeFile[],
  { files }: SourceFiles,
  { limits, signal }: ReadOptions,
): Promise<TreeFile[]> {
  const written: TreeFile[] = []
  for (const file of present) {
    signal.throwIfAborted()
    const before = files.get(file.path)
    if (before?.sizeBytes === file.sizeBytes) {
      const digest = startDigest(file.sizeBytes, before.oid)
      await readTreeFile(tree, file, piece => digest.update(piece))
      if (digest.digest('hex') === before.oid) continue
    }
    if (file.sizeBytes > limits.fileBytes)
      throw new RunError(
        'change_limit',
        `The agent wrote ${file.path} with ${file.sizeBytes} bytes. A changed file may have ${limits.fileBytes}.`,
      )
    written.push(file)
  }
  return written
}

/** Refuses new names that would replace an entry that the agent does not see, or that differ from another only by case. */
function checkNames({ files, leftOut }: SourceFiles, written: readonly TreeFile[], removed: readonly string[]): void {
  const gone = new Set(removed)
  const added = written.map(({ path }) => path).filter(path => !files.has(path))
  const hidden = new Set(leftOut)
  const spellings = new Spellings([...[...files.keys()].filter(path => !gone.has(path)), ...leftOut, ...added])
  for (const path of added) {
    // A new file below a link of the repository, or a new file where the repository has a folder of hidden files.
    if (listPrefixes(path).some(prefix => hidden.has(prefix)) || leftOut.some(other => other.startsWith(`${path}/`)))
      refuse(path, 'the repository has a file of this name that agents do not see')
    if (spellings.isAmbiguous(path)) refuse(path, 'another name differs only by upper and lower case')
  }
}

async function writeTree(
  { bare, base, tree }: OpenedSource,
  { source, written, removed }: FoundTree,
  options: TakeOptions,
): Promise<string> {
  const index = join(options.scratch, `index-${randomUUID()}`)
  const env = { GIT_INDEX_FILE: index }
  try {
    await runGit(bare, ['read-tree', base], options, { env })
    const lines: string[] = []
    for (const file of written) {
      const pieces: Buffer[] = []
      await readTreeFile(tree, file, piece => pieces.push(piece))
      const args = ['hash-object', '-w', '--no-filters', '--stdin']
      const oid = await askGit(bare, args, options, { input: Buffer.concat(pieces) })
      // The mode in the tree does not count: a program stays one, and nothing becomes one.
      lines.push(`${source.files.get(file.path)?.mode ?? '100644'} ${oid} 0\t${file.path}\0`)
    }
    // Removed first: a folder may have taken the place of a file.
    const input = [...removed.map(path => `0 ${'0'.repeat(base.length)}\t${path}\0`), ...lines].join('')
    await runGit(bare, ['update-index', '-z', '--index-info'], options, { env, input })
    return await askGit(bare, ['write-tree'], options, { env })
  } finally {
    await rm(index, { force: true })
    await rm(`${index}.lock`, { force: true })
  }
}

function checkLines(files: readonly ChangedFile[], maxLines: number): void {
  const lines = sum(files.map(file => file.added + file.removed))
  if (lines > maxLines) throw tooMuch(`${lines} lines`, `${maxLines} lines`)
}

async function commitTree(
  bare: string,
  { tree, base }: { tree: string; base: string },
  options: TakeOptions,
): Promise<string> {
  const date = `${Math.floor(options.now / 1000)} +0000`
  const { name, email } = agentIdentity
  const env = {
    ...{ GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_AUTHOR_DATE: date },
    ...{ GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email, GIT_COMMITTER_DATE: date },
  }
  const input = `${options.message.replaceAll(/[^\P{Cc}\n\t]/gu, '').trim()}\n`
  return askGit(bare, ['commit-tree', tree, '-p', base, '-F', '-'], options, { env, input })
}

/** Without renames, so that a reader sees every line, and without programs that a repository could name for its files. */
function diffArguments(format: string): string[] {
  return [
    'diff-tree',
    '-r',
    '--no-renames',
    '--no-ext-diff',
    '--no-textconv',
    '--no-color',
    '--src-prefix=a/',
    '--dst-prefix=b/',
    format,
  ]
}

/** Reads `:MODE MODE OID OID STATUS<nul>PATH<nul>` of each file, and then `ADDED<tab>REMOVED<tab>PATH<nul>` of each. */
async function countLines(bare: string, from: string, to: string, settings: GitSettings): Promise<ChangedFile[]> {
  const args = [...diffArguments('--raw'), '--numstat', '-z', from, to]
  const { stdout } = await runGit(bare, args, settings, { maxOutputBytes: maxNumbersBytes })
  const words = stdout.toString('utf8').split('\0')
  const statuses = new Map<string, ChangedFile['status']>()
  let at = 0
  for (; words[at]?.startsWith(':'); at += 2) {
    const letter = words[at]?.at(-1)
    statuses.set(words[at + 1] ?? '', letter === 'A' ? 'added' : letter === 'D' ? 'removed' : 'changed')
  }
  return words.slice(at, -1).map(line => {
    const [added = '', removed = '', path = ''] = line.split('\t')
    return { path, status: statuses.get(path) ?? 'changed', added: Number(added) || 0, removed: Number(removed) || 0 }
  })
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
