import { join } from 'node:path'
import Database from 'better-sqlite3'
import { OperatorError } from '../../base/operator-error.ts'
import { findProblem } from '../open-unchanged.ts'
import { findKnownSchema } from '../schema-versions.ts'
import { isDatabase, mainDatabase } from './data-files.ts'
import { type BackedUpFile, show } from './manifest.ts'
import { findUnsafeName } from './recorded-bundles.ts'

/**
 * Checks the databases of a backup that was unpacked into a folder.
 *
 * @throws {OperatorError} when one is damaged, was written by a newer Quire, or names files outside the data folder.
 */
export async function checkDatabases(
  folder: string,
  files: readonly BackedUpFile[],
  onCheck: (path: string) => void,
): Promise<void> {
  for (const { path, schema } of files) {
    const file = join(folder, path)
    if (!(await isDatabase(file))) {
      if (schema === undefined && path !== mainDatabase) continue
      throw damaged(path, 'it is not a database')
    }
    onCheck(path)
    checkDatabase(path, file)
  }
  const unsafe = findUnsafeName(join(folder, mainDatabase))
  if (unsafe !== undefined) {
    throw new OperatorError(
      `${mainDatabase} in the backup names the file ${show(unsafe)}, which no database of Quire does. Nothing was restored.`,
    )
  }
}

function checkDatabase(path: string, file: string): void {
  let database: Database.Database | undefined
  try {
    database = new Database(file, { fileMustExist: true })
    database.pragma('query_only = ON')
    database.pragma('trusted_schema = OFF')
    const problem = findProblem(database, 'integrity_check')
    if (problem !== null) throw damaged(path, problem)
    const version = database.pragma('user_version', { simple: true }) as number
    const known = findKnownSchema(path)
    if (known !== undefined && version > known) {
      throw new OperatorError(
        `${path} in the backup was written by a newer Quire (schema ${version}, this one knows ${known}). Upgrade Quire, and restore again.`,
      )
    }
  } catch (error) {
    if (String((error as { code?: unknown }).code).startsWith('SQLITE_')) throw damaged(path, (error as Error).message)
    throw error
  } finally {
    database?.close()
  }
}

function damaged(path: string, reason: string): OperatorError {
  return new OperatorError(`${path} in the backup is damaged (${reason}). Use another backup.`)
}
