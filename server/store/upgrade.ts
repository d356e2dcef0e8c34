import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from '../base/operator-error.ts'
import { listFiles, mainDatabase } from './backup/data-files.ts'
import { openDatabase } from './database.ts'
import { openUnchanged } from './open-unchanged.ts'
import { canUse, findSpan, readSpan, type SchemaSpan } from './schema-span.ts'
import { findSchemaFolder, listMigrations } from './schema-versions.ts'
import { sizeOf } from './upgrade-copies.ts'

/** A database of a data folder, and what an upgrade does with it. */
export interface DatabasePlan {
  /** In the data folder, with slashes. */
  path: string
  schema: number
  /** The newest schema that this Quire knows. */
  newest: number
  /** The migrations that will be applied, in order. */
  migrations: string[]
  /** Whether a version that knows only the present schema can use the database afterwards. */
  isReversible: boolean
  sizeBytes: number
  /** Why Quire cannot use the database; null = it can. */
  problem: string | null
}

export interface UpgradePlan {
  databases: DatabasePlan[]
  freeBytes: number
  /** For the copies of the databases that change. */
  copyBytes: number
  /** More bytes that the disk needs at most for a moment, because a migration may write its database anew. */
  workBytes: number
}

/**
 * Finds out what an upgrade of a data folder changes. Changes nothing.
 *
 * @throws {OperatorError} when there is no database.
 */
export async function planUpgrade(dataFolder: string): Promise<UpgradePlan> {
  if (!existsSync(join(dataFolder, mainDatabase))) {
    throw new OperatorError(
      `There is no database in ${dataFolder}. Give the server's data folder with --data or QUIRE_DATA, or make one with npx quire init.`,
    )
  }
  const files = [mainDatabase, 'visits'].map(name => listFiles(dataFolder, name, () => {}))
  const databases = (await Promise.all(files)).flat().flatMap(({ path, file }) => planDatabase(path, file))
  const changing = databases.filter(({ migrations }) => migrations.length > 0).map(({ sizeBytes }) => sizeBytes)
  const { bavail, bsize } = await statfs(dataFolder)
  return {
    databases,
    freeBytes: bavail * bsize,
    copyBytes: changing.reduce((sum, size) => sum + size, 0),
    workBytes: Math.max(0, ...changing),
  }
}

function planDatabase(path: string, file: string): DatabasePlan[] {
  const folder = findSchemaFolder(path)
  if (folder === undefined) return []
  const known = listMigrations(folder)
  const plan = { path, newest: known.length, sizeBytes: sizeOf(file) }
  try {
    const span = readSchema(file)
    const schema = span.version
    const problem = canUse(span, known.length)
      ? null
      : `A newer Quire wrote it: schema ${schema}. This version knows ${known.length}.`
    const isReversible = canUse(findSpan(known.map(name => `${folder}/${name}`)), schema)
    return [{ ...plan, schema, migrations: known.slice(schema), isReversible, problem }]
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    return [{ ...plan, schema: 0, migrations: [], isReversible: false, problem: error.message }]
  }
}

function readSchema(file: string): SchemaSpan {
  const database = openUnchanged(file)
  try {
    return readSpan(database)
  } finally {
    database.close()
  }
}

/**
 * Upgrades all databases of a data folder, the main database first. Each keeps a copy, see `migrate`.
 *
 * @throws {OperatorError} at the first database that cannot be upgraded. Those before it stay upgraded.
 */
export function upgradeDatabases(
  dataFolder: string,
  { databases }: UpgradePlan,
  onUpgrade: (path: string) => void,
): void {
  for (const { path, migrations } of databases) {
    if (migrations.length === 0) continue
    onUpgrade(path)
    openDatabase(join(dataFolder, path), findSchemaFolder(path)).close()
  }
}
