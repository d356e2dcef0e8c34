import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'

/** A followed log, or a file that it was rotated into. */
export interface LogEntry {
  path: string
  /** Device and inode: the same after a rename, and another one once the file is copied or compressed. */
  file: string
  sizeBytes: number
  modifiedAtMs: number
  isCompressed: boolean
  /** What rotation added to the name, without its separator: `1`, `20261121`; undefined for the log itself. */
  suffix: string | undefined
}

/** Files are renamed right now: look again in a moment. */
export class RotationUnderWayError extends Error {}

const maxTries = 5

/**
 * The log and the files beside it that it was rotated into, oldest first, the log itself last; empty when there is none.
 *
 * Rotation renames several files one after the other, and a folder read meanwhile shows one twice or not at all: it is read
 * again until two looks agree.
 */
export async function listLogEntries(path: string): Promise<LogEntry[]> {
  let seen = await lookAt(path)
  for (let tries = 0; tries < maxTries; tries++) {
    const again = await lookAt(path)
    if (nameFiles(seen) === nameFiles(again)) return again
    seen = again
  }
  throw new RotationUnderWayError()
}

/** The entry of one file; undefined when there is none, or no regular file. */
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

/** Whether an error only says that a file is not there. */
export function isAbsence(error: unknown): boolean {
  const { code, cause } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || (cause instanceof Error && isAbsence(cause))
}

/** Names a file whatever its path is. */
export function toFile({ dev, ino }: { dev: bigint; ino: bigint }): string {
  return `${dev}:${ino}`
}

async function lookAt(path: string): Promise<LogEntry[]> {
  const folder = dirname(path)
  const rotated = new Map<string, LogEntry>()
  // Plain names come first: while a file is compressed it is there twice, and the compressed one is not whole.
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
 * What rotation added to the name of a log; undefined when this is no rotated name of it. For `access.log`:
 * `access.log.1`, `access.log-20261121`, `access.log.2026-11-21-13`, `access.log.old`, `access.1.log`,
 * `access-20261121.log`, each with .gz or .zst too.
 */
export function toSuffix(name: string, log: string): string | undefined {
  const plain = name.replace(/\.(?:gz|zst)$/, '')
  if (plain.startsWith(log)) return /^[.\-_](\d[\d.:T_-]*|old)$/.exec(plain.slice(log.length))?.[1]
  const extension = extname(log)
  const stem = log.slice(0, log.length - extension.length)
  if (extension === '' || !plain.startsWith(stem) || !plain.endsWith(extension)) return undefined
  // Shorter numbers after a dash are rather another server's log: access-2.log.
  const between = plain.slice(stem.length, plain.length - extension.length)
  return /^(?:\.(\d{1,4})|[.\-_](\d{8}[\d.:T_-]*))$/.exec(between)?.slice(1).find(Boolean)
}

/** By name where all names are of one kind, by the last write otherwise. */
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
