import { hostname } from 'node:os'
import { basename } from 'node:path'
import type { RecordedBundle } from '../backup/recorded-bundles.ts'
import { findSpan, type SchemaSpan } from '../schema-span.ts'
import { listPostgresMigrations } from '../schema-versions.ts'
import { connect, type Database } from './database.ts'
import { explain } from './explain.ts'
import { readPending, readSpan } from './migrate.ts'
import { statement } from './statement.ts'

/** A database as it was found. */
export interface PostgresState {
  /** The names of the files of the pending migrations. */
  pending: string[]
  /** Which versions can use it now. */
  span: SchemaSpan
  /** Which versions can use it after the pending migrations. */
  spanAfter: SchemaSpan
  /** Whether it refuses changes, as a standby does. */
  isReadOnly: boolean
  /** Of the key that signs bundle links; undefined = no server has said it. */
  linkKeyFingerprint: Buffer | undefined
  /** Of the key that visitors are counted with; undefined = none were counted. */
  visitorKeyFingerprint: Buffer | undefined
}

const findTable = statement<object, { name: string | null }>("SELECT to_regclass('export_jobs')::text AS name")
const findReadOnly = statement<object, { isReadOnly: boolean }>(
  `SELECT current_setting('transaction_read_only') = 'on' AS "isReadOnly"`,
)
const findLinkKey = statement<object, { fingerprint: Buffer }>('SELECT fingerprint FROM link_key')
const findVisitorKey = statement<object, { fingerprint: Buffer }>('SELECT fingerprint FROM visitor_secret')
/** The address may name another application. */
const listUsers = statement<object, { place: string }>(
  `SELECT DISTINCT coalesce(host(client_addr), 'this machine') AS place FROM pg_stat_activity
   WHERE datname = current_database() AND application_name = current_setting('application_name') AND pid <> pg_backend_pid()
   ORDER BY place`,
)
const listBundles = statement<object, Omit<RecordedBundle, 'damage'> & { damage: string | null }>(
  `SELECT job_id AS "jobId", bundle_file AS "fileName", bundle_size_bytes AS "sizeBytes", bundle_sha256 AS sha256,
     bundle_damage AS damage
   FROM export_jobs WHERE status = 'completed'`,
)
/** The visits of logs of several projects belong to the project 0. */
const findPosition = statement<{ node: string; projectId: string | null; log: string }, { position: string }>(
  `SELECT position FROM log_positions WHERE node = @node AND log = @log AND project_key = CASE WHEN @projectId::text IS NULL THEN 0
     ELSE (SELECT key FROM visited_projects WHERE project_id = @projectId::text) END`,
)

/**
 * Looks at a database without changing it.
 *
 * @throws {OperatorError} if the database cannot be used, see `migrate`.
 */
export function inspectPostgres(url: string): Promise<PostgresState> {
  return look(url, async database => {
    const pending = (await readPending(database)).map(path => basename(path))
    const span = await readSpan(database)
    const isReadOnly = (await database.get(findReadOnly, {}))?.isReadOnly ?? false
    const hasTables = pending.length === 0
    return {
      pending,
      span,
      spanAfter: pending.length === 0 ? span : findSpan(listPostgresMigrations()),
      isReadOnly,
      linkKeyFingerprint: hasTables ? (await database.get(findLinkKey, {}))?.fingerprint : undefined,
      visitorKeyFingerprint: hasTables ? (await database.get(findVisitorKey, {}))?.fingerprint : undefined,
    }
  })
}

/**
 * Lists the machines of programs of Quire that are connected to a database. A pooler may keep connections of programs that have ended.
 *
 * @throws {OperatorError} if the database cannot be used.
 */
export function listPostgresUsers(url: string): Promise<string[]> {
  return look(url, async database => (await database.all(listUsers, {})).map(({ place }) => place))
}

/**
 * Lists the bundles of the completed jobs in a database, without changing it. One without migrations has none.
 *
 * @throws {OperatorError} if the database cannot be used.
 */
export function listPostgresBundles(url: string): Promise<RecordedBundle[]> {
  return look(url, async database => {
    if ((await database.get(findTable, {}))?.name == null) return []
    const rows = await database.all(listBundles, {})
    return rows.map(({ damage, ...row }) => ({ ...row, ...(damage !== null && { damage }) }))
  })
}

/** A log and who follows it. */
export interface FollowedBy {
  /** undefined = the host name of this machine */
  node: string | undefined
  /** undefined = a log of several projects */
  projectId: string | undefined
  log: string
}

/**
 * Finds how far a followed log was read, without changing the database; undefined = nothing was read.
 *
 * @throws {OperatorError} if the database cannot be used.
 */
export function findPostgresLogPosition(url: string, followed: FollowedBy): Promise<string | undefined> {
  const { node = hostname(), projectId = null, log } = followed
  return look(url, async database => {
    if ((await database.get(findTable, {}))?.name == null) return undefined
    return (await database.get(findPosition, { node, projectId, log }))?.position
  })
}

async function look<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = connect(url)
  try {
    return await work(database)
  } catch (error) {
    throw explain(url, error)
  } finally {
    await database.close()
  }
}
