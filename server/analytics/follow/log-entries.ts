import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'

/** A followed log, or one of its rotated files. */
export interface LogEntry {
  path: string
  /** Device and inode. A rename keeps them; a copy or a compressed file has different ones. */
  file: string
  sizeBytes: number
  modifiedAtMs: number
  isCompressed: boolean
  /** The suffix added by rotation, without its separator: `1`, `20261121`; undefined for the log itself. */
  suffix: string | undefined
}

/** Thrown while files are being renamed. List the files again after a pause. */
export class RotationUnderWayError extends Error {}

const maxTries = 5

/**
 * Lists the rotated files of a log, oldest first, then the log itself; empty when there is none.
 *
 * Rotation renames files one by one, so a listing made meanwhile may contain a file twice or not at all. The folder is
 * read until two listings agree.
 *
 * @throws {RotationUnderWayError} when no two listings agree after several tries.
 */
export async function listLogEntries(path: string): Promise<LogEntry[]> {
  let previous = await listOnce(path)
  for (let tries = 0; tries < maxTries; tries++) {
    const current = await listOnce(path)
    if (nameFiles(previous) === nameFiles(current)) return current
    previous = current
  }
  throw new RotationUnderWayError()
}

/** Returns the entry of one file; undefined when it does not exist or is not a regular file. */
export async function findEntry(path: string, suffix?: string): Promise<LogEntry | undefined> {
  try {
    const stats = await stat(path, { bigint: true })
    if (!stats.isFile()) return undefined
    return {
      path,
      file: toFile(stats),
      sizeBytes: Number(stats.size),
      modifiedAtMs: Number(stats.mtimeNs) / 1e6,
      isCompressed: suffix !== undefined && isCompressed(path),
      suffix,
    }
  } catch (error) {
    if (isAbsence(error)) return undefined
    throw error
  }
}

/** Returns whether an error only reports a missing file. */
export function isAbsence(error: unknown): boolean {
  const { code, cause } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || (cause instanceof Error && isAbsence(cause))
}

/** Identifies a file independently of its path. */
export function toFile({ dev, ino }: { dev: bigint; ino: bigint }): string {
  return `${dev}:${ino}`
}

async function listOnce(path: string): Promise<LogEntry[]> {
  const folder = dirname(path)
  const rotated = new Map<string, LogEntry>()
  // Uncompressed files come first because both files exist during compression, and the compressed one is incomplete.
  const names = (await readFolder(folder)).sort((a, b) => Number(isCompressed(a)) - Number(isCompressed(b)))
  for (const name of names) {
    const suffix = toSuffix(name, basename(path))
    if (suffix === undefined || rotated.has(suffix)) continue
    const entry = await findEntry(join(folder, name), suffix)
    if (entry) rotated.set(suffix, entry)
  }
  const log = await findEntry(path)
  return [...sortByAge([...rotated.values()]), ...(log ? [log] : [])]
}

async function readFolder(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (isAbsence(error)) return []
    throw error
  }
}

function nameFiles(entries: readonly LogEntry[]): string {
  return entries.map(({ path, file }) => `${path}\0${file}`).join('\0')
}

function isCompressed(name: string): boolean {
  return /\.(?:gz|zst)$/.test(name)
}

/**
 * Returns the suffix that rotation added to the name of a log; undefined when `name` is not a rotated name of `log`.
 * Rotated names of `access.log`: `access.log.1`, `access.log-20261121`, `access.log.2026-11-21-13`, `access.log.old`,
 * `access.1.log`, `access-20261121.log`, each also with .gz or .zst.
 */
export function toSuffix(name: string, log: string): string | undefined {
  const plain = name.replace(/\.(?:gz|zst)$/, '')
  if (plain.startsWith(log)) return /^[.\-_](\d[\d.:T_-]*|old)$/.exec(plain.slice(log.length))?.[1]
  const extension = extname(log)
  const stem = log.slice(0, log.length - extension.length)
  if (extension === '' || !plain.startsWith(stem) || !plain.endsWith(extension)) return undefined
  // A name with a shorter number after a dash, such as access-2.log, is more likely the log of another server.
  const between = plain.slice(stem.length, plain.length - extension.length)
  return /^(?:\.(\d{1,4})|[.\-_](\d{8}[\d.:T_-]*))$/.exec(between)?.slice(1).find(Boolean)
}

/** Sorts by suffix when all suffixes are numbers or all are dates, otherwise by last write. */
function sortByAge(rotated: LogEntry[]): LogEntry[] {
  const suffixes = rotated.map(({ suffix }) => suffix ?? '')
  if (suffixes.every(suffix => /^\d{1,4}$/.test(suffix))) {
    return rotated.sort((a, b) => Number(b.suffix) - Number(a.suffix))
  }
  const isDate = (suffix: string) => /^(?:\d{10}$|(?:19|20)\d\d-?(?:0\d|1[0-2]))/.test(suffix)
  if (suffixes.every(suffix => isDate(suffix) && suffix.length === suffixes[0]?.length)) {
    return rotated.sort((a, b) => ((a.suffix ?? '') < (b.suffix ?? '') ? -1 : 1))
  }
  return rotated.sort((a, b) => a.modifiedAtMs - b.modifiedAtMs)
}
