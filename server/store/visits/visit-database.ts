import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Database, openDatabase } from '../database.ts'

const migrationsFolder = 'server/store/visits/migrations'
/** Handles of projects that nobody asks for are closed. */
const maxOpen = 32
/** Imports into one project wait for each other, batch by batch. Readers never wait. */
const patienceMs = 60_000

/** Memory for pages of the database while visits are recorded; SQLite's own 2 MB would read most of them again. */
const cacheKib = 64 * 1024
const maxLogBytes = 64 * 1024 * 1024

/**
 * The database files of visits, one a project: an import keeps the lock of no other project and of nothing else, and a
 * project can be moved or deleted as a file.
 */
export function openVisitDatabases<Opened>(folder: string, prepare: (database: Database) => Opened) {
  /** The one used last stands last. */
  const open = new Map<string, { database: Database; opened: Opened }>()

  function take(projectId: string): Opened {
    const known = open.get(projectId) ?? openFile(projectId)
    open.delete(projectId)
    open.set(projectId, known)
    for (const [id, { database }] of open) {
      if (open.size <= maxOpen) break
      database.close()
      open.delete(id)
    }
    return known.opened
  }

  function openFile(projectId: string) {
    const database = openDatabase(toFile(projectId), migrationsFolder)
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

  // An id is letters, digits and an underscore; that it can name no file elsewhere is not left to that.
  const toFile = (projectId: string) => join(folder, `${encodeURIComponent(projectId)}.db`)

  return {
    take,
    /** Undefined when the project never had a visit. */
    find: (projectId: string) => (open.has(projectId) || existsSync(toFile(projectId)) ? take(projectId) : undefined),
    hasAny: () => existsSync(folder) && readdirSync(folder).some(name => name.endsWith('.db')),
    close(): void {
      for (const { database } of open.values()) database.close()
      open.clear()
    },
  }
}
