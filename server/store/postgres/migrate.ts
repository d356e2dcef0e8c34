import { OperatorError } from '../../base/operator-error.ts'
import { canUse, explainNewer, findSpan, type SchemaSpan, storeSpan } from '../schema-span.ts'
import { listPostgresMigrations, readMigration } from '../schema-versions.ts'
import type { Database } from './database.ts'
import { statement } from './statement.ts'

const oldestServer = 15
const foreign = 'it has tables of another program. Create a database for Quire alone.'
/** Any number that all nodes use and no other program does. */
const lockKey = 7_114_738_203

// Reads the table of tables: `to_regclass` may not see yet what another node created while this one waited for it. Tables of extensions
// belong to nobody else. Any program may have a table `schema_version`, so its only column and a table beside it decide.
const findTables = statement<object, { isEmpty: boolean; isOurs: boolean }>(
  `WITH tables AS (
     SELECT pg_class.oid, relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE nspname = current_schema() AND relkind IN ('r', 'p')
       AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype = 'e'))
   SELECT NOT EXISTS (SELECT FROM tables) AS "isEmpty",
     EXISTS (SELECT FROM tables WHERE relname IN ('export_jobs', 'visited_projects', 'period_keys'))
       AND ARRAY['version integer'] = ARRAY(
         SELECT attname || ' ' || format_type(atttypid, NULL) FROM pg_attribute JOIN tables ON oid = attrelid
         WHERE relname = 'schema_version' AND attnum > 0 AND NOT attisdropped) AS "isOurs"`,
)
const findVersion = statement<object, { version: number }>('SELECT version FROM schema_version')
const findOldestTable = statement<object, { name: string | null }>("SELECT to_regclass('schema_span')::text AS name")
const findOldest = statement<object, { oldest: number }>('SELECT oldest FROM schema_span')
const putVersion = statement<{ version: number }>('UPDATE schema_version SET version = @version')
const findServer = statement<object, { version: number; encoding: string }>(
  `SELECT current_setting('server_version_num')::integer / 10000 AS version,
     current_setting('server_encoding') AS encoding`,
)

/**
 * Applies the pending migrations in one transaction: all, or none if one fails. Of nodes that start together, one applies them and the
 * others wait for it.
 *
 * @param files the paths of the migrations, in order
 * @throws {OperatorError} if only a newer Quire can use the database, the server is too old, or a migration fails.
 */
export async function migrate(database: Database, files = listPostgresMigrations()): Promise<void> {
  // Takes no lock without pending migrations.
  if ((await readPending(database, files)).length === 0) return
  await database.atomically(async within => {
    await within.exec('SET LOCAL lock_timeout = 0')
    await within.exec(`SELECT pg_advisory_xact_lock(${lockKey})`)
    const { version: from } = await readUsableSpan(within, files.length)
    if (from >= files.length) return
    if (from === 0) await within.exec('CREATE TABLE schema_version AS SELECT 0 AS version')
    for (const file of files.slice(from)) await apply(within, file, from)
    await within.run(putVersion, { version: files.length })
    await within.exec(storeSpan(findSpan(files)))
  })
}

/**
 * Returns the paths of the pending migrations.
 *
 * @throws {OperatorError} if only a newer Quire can use the database, or the server is too old.
 */
export async function readPending(database: Database, files = listPostgresMigrations()): Promise<string[]> {
  const server = await database.get(findServer, {})
  if (server && server.version < oldestServer) {
    throw new OperatorError(`it is PostgreSQL ${server.version}; Quire needs ${oldestServer} or newer.`)
  }
  if (server && server.encoding !== 'UTF8') {
    throw new OperatorError(`its encoding is ${server.encoding}. Create it with: createdb --encoding UTF8 NAME`)
  }
  return files.slice((await readUsableSpan(database, files.length)).version)
}

/** @throws {OperatorError} if only a newer Quire can use the database. */
async function readUsableSpan(database: Database, known: number): Promise<SchemaSpan> {
  const span = await readSpan(database)
  if (!canUse(span, known)) throw new OperatorError(explainNewer(span, known))
  return span
}

/**
 * Reads which programs can use the database. The version is 0 for one that Quire has not used.
 *
 * @throws {OperatorError} if it is damaged or has tables of another program.
 */
export async function readSpan(database: Database): Promise<SchemaSpan> {
  const { isEmpty = true, isOurs = false } = (await database.get(findTables, {})) ?? {}
  if (isEmpty) return { version: 0, oldest: 0 }
  if (!isOurs) throw new OperatorError(foreign)
  const { version } = (await database.get(findVersion, {})) ?? {}
  if (version === undefined)
    throw new OperatorError('it is damaged: schema_version has no row. Restore it from a dump.')
  const hasTable = (await database.get(findOldestTable, {}))?.name != null
  const oldest = hasTable ? (await database.get(findOldest, {}))?.oldest : undefined
  return { version, oldest: oldest ?? version }
}

async function apply(database: Database, file: string, from: number): Promise<void> {
  try {
    await database.exec(readMigration(file, 'PostgreSQL'))
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: string }
    // duplicate_table
    if (from === 0 && code === '42P07') {
      throw new OperatorError(foreign, 1, { cause: error })
    }
    // Classes of errors in SQL and data. Others are problems of the connection or of the server.
    if (!/^(22|23|42)/.test(String(code)) || code === '42501') throw error
    throw new OperatorError(
      `the migration ${file} failed (${message}). Nothing was changed: it still has schema ${from}. ` +
        'Use the earlier version of Quire, and report this.',
      1,
      { cause: error },
    )
  }
}
