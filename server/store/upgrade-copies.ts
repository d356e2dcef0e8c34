import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type Database from 'better-sqlite3'
import { describeBytes } from '../base/format-bytes.ts'
import { OperatorError } from '../base/operator-error.ts'
import { createPrivateFile } from './private-files.ts'

/** A copy of a database in the state before an upgrade. */
export interface UpgradeCopy {
  path: string
  sizeBytes: number
  madeAt: number
}

/** What the disk must have free beside the copy, for the migration itself. */
const reserveBytes = 16 * 1024 ** 2
const copyName = /\.schema-\d+$/
const draftName = /\.schema-\d+\.draft-\d+$/

/** The path of the copy of a database with a schema version. */
export function copyPath(file: string, schema: number): string {
  return `${file}.schema-${schema}`
}

/**
 * Writes a copy of a database under a draft name beside it, and returns that name. Only SQLite reads the file: if this process
 * opened it in another way and closed it again, the system would drop the locks that SQLite holds on it.
 *
 * @throws {OperatorError} when the disk has too little room.
 */
export function draftCopy(database: Database.Database, file: string, schema: number): string {
  removeDrafts(file)
  refuseFullDisk(file)
  const draft = `${copyPath(file, schema)}.draft-${process.pid}`
  createPrivateFile(draft)
  try {
    database.prepare('VACUUM INTO ?').run(draft)
    const handle = openSync(draft, 'r+')
    try {
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    return draft
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

/** Renames a file so that a power cut does not undo it. */
export function renameForGood(from: string, to: string): void {
  renameSync(from, to)
  if (process.platform === 'win32') return
  const handle = openSync(dirname(to), 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Lists the copies in a folder. */
export function listUpgradeCopies(folder: string): UpgradeCopy[] {
  if (!existsSync(folder)) return []
  const paths = readdirSync(folder)
    .filter(name => copyName.test(name))
    .map(name => join(folder, name))
  return paths.sort().flatMap(path => {
    const stats = statSync(path, { throwIfNoEntry: false })
    return stats?.isFile() ? [{ path, sizeBytes: stats.size, madeAt: stats.mtimeMs }] : []
  })
}

/** Lists the copies of a database with the schemas they have, the oldest schema first. */
export function listCopiesOf(file: string): { path: string; schema: number }[] {
  return listUpgradeCopies(dirname(file))
    .filter(({ path }) => path.startsWith(`${file}.schema-`))
    .map(({ path }) => ({ path, schema: Number(path.slice(path.lastIndexOf('-') + 1)) }))
    .sort((a, b) => a.schema - b.schema)
}

/** Deletes the copies of a database. */
export function deleteUpgradeCopies(file: string): void {
  for (const { path } of listCopiesOf(file)) rmSync(path, { force: true })
}

/** Removes what a killed upgrade left. */
function removeDrafts(file: string): void {
  const prefix = `${basename(file)}.`
  for (const name of readdirSync(dirname(file))) {
    if (!name.startsWith(prefix) || !draftName.test(name)) continue
    const isRunning = isProcess(Number(name.slice(name.lastIndexOf('-') + 1)))
    if (!isRunning) rmSync(join(dirname(file), name), { force: true })
  }
}

function isProcess(id: number): boolean {
  if (id === process.pid) return false
  try {
    process.kill(id, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function refuseFullDisk(file: string): void {
  const { bavail, bsize } = statfsSync(dirname(file))
  const neededBytes = sizeOf(file) + reserveBytes
  if (bavail * bsize >= neededBytes) return
  throw new OperatorError(
    `its upgrade first makes a copy, and the disk has too little room: ${describeBytes(bavail * bsize)} are free, ` +
      `${describeBytes(neededBytes)} are needed. Free some space. The database is unchanged.`,
  )
}

/** The bytes of a database with what its WAL holds. */
export function sizeOf(file: string): number {
  return ['', '-wal'].reduce((sum, suffix) => sum + (statSync(file + suffix, { throwIfNoEntry: false })?.size ?? 0), 0)
}
