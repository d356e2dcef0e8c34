import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from '../database.ts'
import { openUnchanged } from '../open-unchanged.ts'

/** Whether it is known that visits of a project were counted. */
export type IsVisited = (projectId: string) => boolean

/** What the main database records about visits, so that a lost file of visits is noticed. */
export function openVisitRecords(database: Database) {
  const find = prepareFind(database)
  const put = database.prepare<{ id: string; hasVisits: 0 | 1 }>(
    'UPDATE projects SET has_visits = @hasVisits WHERE id = @id',
  )
  const listVisited = database
    .prepare<[], string>('SELECT id FROM projects WHERE has_visits = 1 ORDER BY created_at, id')
    .pluck()
  const listUnknown = database.prepare<[], string>('SELECT id FROM projects WHERE has_visits IS NULL').pluck()
  const complete = database.transaction((hasFile: (projectId: string) => boolean) => {
    for (const id of listUnknown.all()) put.run({ id, hasVisits: hasFile(id) ? 1 : 0 })
  })
  return {
    isVisited: ((id: string) => find.get({ id }) === 1) satisfies IsVisited,
    hasProject: (id: string) => find.get({ id }) !== undefined,
    listVisited: () => listVisited.all(),
    put: (id: string, isVisited: boolean): void => void put.run({ id, hasVisits: isVisited ? 1 : 0 }),
    /** Records the projects of an older version: those with a file had visits. */
    complete(hasFile: (projectId: string) => boolean): void {
      if (listUnknown.get() !== undefined) complete.immediate(hasFile)
    },
  }
}

/** Reads the record without opening the store: for threads that only count. Opens the main database when it is first needed. */
export function readVisitRecords(dataFolder: string): { isVisited: IsVisited; close(): void } {
  const file = join(dataFolder, 'quire.db')
  let database: Database | undefined
  let find: ReturnType<typeof prepareFind> | undefined
  return {
    isVisited(id) {
      if (!find && existsSync(file)) {
        database = openUnchanged(file)
        if (hasRecords(database)) find = prepareFind(database)
      }
      return find?.get({ id }) === 1
    },
    close: () => void database?.close(),
  }
}

/** Lists the projects that had visits, and those of which a database file of an older version does not say so. */
export function listVisited(file: string): { visited: string[]; unknown: string[] } {
  const database = openUnchanged(file)
  try {
    const hasProjects = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'projects'").get() !== undefined
    if (!hasProjects) return { visited: [], unknown: [] }
    const list = (condition: string) =>
      database.prepare<[], string>(`SELECT id FROM projects WHERE ${condition} ORDER BY id`).pluck().all()
    if (!hasRecords(database)) return { visited: [], unknown: list('true') }
    return { visited: list('has_visits = 1'), unknown: list('has_visits IS NULL') }
  } finally {
    database.close()
  }
}

const magic = 'SQLite format 3\0'
/** Where the header of a database has `user_version`, see https://www.sqlite.org/fileformat.html. */
const versionAt = 60
const headerBytes = 100

/**
 * Returns what is wrong with the file of a project that had visits; null = nothing that its first bytes show. Does not open
 * the database, so it is cheap for thousands of projects.
 */
export function findFileProblem(file: string): 'missing' | 'empty' | 'not a database' | null {
  if (!existsSync(file)) return 'missing'
  const header = Buffer.alloc(headerBytes)
  const handle = openSync(file, 'r')
  try {
    if (readSync(handle, header, 0, headerBytes, 0) === 0) return 'empty'
  } finally {
    closeSync(handle)
  }
  if (!header.toString('latin1').startsWith(magic)) return 'not a database'
  // After a kill, the tables can still be in the WAL.
  return header.readUInt32BE(versionAt) === 0 && !existsSync(`${file}-wal`) ? 'empty' : null
}

function prepareFind(database: Database) {
  return database.prepare<{ id: string }, 0 | 1 | null>('SELECT has_visits FROM projects WHERE id = @id').pluck()
}

function hasRecords(database: Database): boolean {
  const find = "SELECT 1 FROM pragma_table_info('projects') WHERE name = 'has_visits'"
  return database.prepare(find).get() !== undefined
}
