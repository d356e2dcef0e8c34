import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { mainDatabase } from './backup/data-files.ts'
import { openUnchanged } from './open-unchanged.ts'

/**
 * Finds how far a followed log was read, in the databases of a data folder and without changing them; undefined = nothing was read.
 *
 * @param projectId undefined = a log of several projects
 * @throws {OperatorError} when the database cannot be read.
 */
export function findLogPosition(dataFolder: string, projectId: string | undefined, log: string): string | undefined {
  const file = projectId === undefined ? mainDatabase : join('visits', `${encodeURIComponent(projectId)}.db`)
  const path = join(dataFolder, file)
  if (!existsSync(path)) return undefined
  const database = openUnchanged(path)
  try {
    const find = database.prepare<[string], string>('SELECT position FROM log_positions WHERE log = ?')
    return find.pluck().get(log)
  } finally {
    database.close()
  }
}
