import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import { UnusableVisitsError } from '../../analytics/unusable-visits.ts'
import { OperatorError } from '../../base/operator-error.ts'
import { UnavailableError } from '../../base/unavailable-error.ts'
import { type Database, openDatabase } from '../database.ts'
import { schemaFolders } from '../schema-versions.ts'
import { deleteUpgradeCopies } from '../upgrade-copies.ts'
import { explainSqliteError } from '../write-queue.ts'
import type { IsVisited } from './visit-records.ts'

/** Max open databases. At the limit, the least recently used database is closed. */
const maxOpen = 32
/**
 * How long an import waits for another import into the same project, which releases its lock after each batch. Readers
 * never wait.
 */
const usualPatienceMs = 60_000

/** A database that nobody else can open is closed when it has not been used for this long. */
const heldMs = 5000

/** Page cache while visits are recorded. With SQLite's default of 2 MB, most pages would be read repeatedly. */
const cacheKib = 64 * 1024
const maxLogBytes = 64 * 1024 * 1024

/**
 * Opens the database files of visits, one per project. An import locks only its own project, and a project can be moved or
 * deleted as a file. A file that is missing or empty is created again only if the project had no visits.
 */
export function openVisitDatabases<Opened>(
  folder: string,
  prepare: (database: Database) => Opened,
  isVisited: IsVisited,
  patienceMs = usualPatienceMs,
) {
  /** Ordered by last use; the most recent is last. */
  const open = new Map<string, { database: Database; opened: Opened }>()
  /** Those that nobody else can open meanwhile, by project. */
  const closing = new Map<string, NodeJS.Timeout>()

  function take(projectId: string): Opened {
    const known = open.get(projectId) ?? openFile(projectId)
    closing.get(projectId)?.refresh()
    open.delete(projectId)
    open.set(projectId, known)
    for (const id of open.keys()) {
      if (open.size <= maxOpen) break
      close(id)
    }
    return known.opened
  }

  function openFile(projectId: string) {
    const prepareFile = (database: Database) => prepareDatabase(database, patienceMs, prepare)
    try {
      return prepareFile(openExplained(toFile(projectId), projectId, isVisited))
    } catch (error) {
      if (!(error instanceof UnavailableError && error.reason === 'full')) throw error
      const known = prepareFile(openOnFullDisk(toFile(projectId)))
      closing.set(projectId, setTimeout(close, heldMs, projectId).unref())
      return known
    }
  }

  function close(projectId: string): void {
    clearTimeout(closing.get(projectId))
    closing.delete(projectId)
    open.get(projectId)?.database.close()
    open.delete(projectId)
  }

  // An id has only letters, digits and underscores. The encoding still prevents an id from naming a file in another folder.
  const toFile = (projectId: string) => join(folder, `${encodeURIComponent(projectId)}.db`)

  return {
    take,
    /**
     * Returns undefined if the project never had a visit.
     *
     * @throws {UnusableVisitsError} when it had, and the file is missing, empty, damaged, or of another program.
     */
    find: (projectId: string) =>
      open.has(projectId) || existsSync(toFile(projectId)) || isVisited(projectId) ? take(projectId) : undefined,
    fileOf: toFile,
    hasAny: () => existsSync(folder) && readdirSync(folder).some(name => name.endsWith('.db')),
    deleteFile(projectId: string): void {
      close(projectId)
      for (const suffix of ['', '-wal', '-shm']) rmSync(`${toFile(projectId)}${suffix}`, { force: true })
      deleteUpgradeCopies(toFile(projectId))
    },
    close(): void {
      for (const projectId of open.keys()) close(projectId)
    },
  }
}

/**
 * @throws {UnusableVisitsError} when the project had visits, and the file is missing, empty, damaged, or of another program.
 * @throws {UnavailableError} when the disk is full, or another process holds the lock.
 */
function openExplained(file: string, projectId: string, isVisited: IsVisited): Database {
  try {
    return openDatabase(file, schemaFolders.visits, found => {
      if (isVisited(projectId)) throw new OperatorError(explainLoss(projectId, found))
    })
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    const passing = explainSqliteError(error.cause)
    if (passing instanceof UnavailableError) throw passing
    throw new UnusableVisitsError(error.message, error.exitCode, { cause: error })
  }
}

/**
 * Opens a database, to read it, where there is no room for the index of its WAL. SQLite then keeps the index in memory, and nobody else can
 * open the database meanwhile.
 */
function openOnFullDisk(file: string): Database {
  const database = new SqliteDatabase(file, { fileMustExist: true })
  database.pragma('locking_mode = EXCLUSIVE')
  return database
}

function prepareDatabase<Opened>(database: Database, patienceMs: number, prepare: (database: Database) => Opened) {
  try {
    database.pragma(`busy_timeout = ${patienceMs}`)
    database.pragma(`cache_size = -${cacheKib}`)
    database.pragma(`journal_size_limit = ${maxLogBytes}`)
    return { database, opened: prepare(database) }
  } catch (error) {
    database.close()
    throw error
  }
}

/** Says what to do about visits that are gone. */
export function explainLoss(projectId: string, found: string): string {
  return (
    `it is ${found}, but visits of ${projectId} were counted. Restore the file from a backup. ` +
    `To count from zero instead: npx quire visits reset --project ${projectId} --yes`
  )
}
