import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { classify, toUnavailable } from './failures.ts'
import type { Statement } from './statement.ts'

/** How long a call is repeated while the server cannot be reached. Clients get their answer within 5 s, also a 503. */
const patienceMs = 4500
const firstPauseMs = 20
const longestPauseMs = 250
/** Connections of one process. */
const maxConnections = 10

/** Statements on a database, or in a transaction of it. */
export interface Database {
  all<P extends object, R extends object>(statement: Statement<P, R>, parameters: P): Promise<R[]>
  /** Returns the first row. */
  get<P extends object, R extends object>(statement: Statement<P, R>, parameters: P): Promise<R | undefined>
  /** Returns the number of changed rows. */
  run<P extends object>(statement: Statement<P, never>, parameters: P): Promise<number>
  /** Runs several statements without parameters. */
  exec(sql: string): Promise<void>
  /**
   * Runs the work in one transaction: all of it, or nothing if it throws. Within a transaction, the work belongs to that one. It runs
   * again if the connection is lost before the end, so it changes nothing but the database.
   */
  atomically<T>(work: (database: Database) => Promise<T>): Promise<T>
}

/** A pool of connections to a database. */
export interface ConnectedDatabase extends Database {
  close(): Promise<void>
}

/**
 * Connects to a database when it is first used. While the server cannot be reached, calls are repeated for a few seconds if that is
 * safe, and then fail with an `UnavailableError`. The caller closes it.
 *
 * @param onLost is told about connections that end while nobody uses them.
 */
export function connect(url: string, onLost: (error: Error) => void = () => {}): ConnectedDatabase {
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    connectionTimeoutMillis: patienceMs,
    keepAlive: true,
    application_name: 'quire',
    types: { getTypeParser },
  })
  // Without a listener, the end of a connection would end the process: the first is for connections that nobody uses, the second for the
  // others, whose calls fail as well.
  pool.on('error', onLost)
  pool.on('connect', client => void client.on('error', () => {}))
  const statements = <P extends object>(statement: Statement<P, object>, parameters: P) =>
    repeat(statement.isRepeatable, () => withClient(pool, client => send(client, statement, parameters)))
  return {
    ...toDatabase(statements),
    exec: sql => repeat(false, () => withClient(pool, async client => void (await client.query(sql)))),
    atomically: work => repeat(false, () => withClient(pool, client => runTransaction(client, work))),
    close: () => pool.end(),
  }
}

type Send = <P extends object>(statement: Statement<P, object>, parameters: P) => Promise<Answer>

interface Answer {
  rows: object[]
  rowCount: number | null
}

function toDatabase(send: Send): Pick<Database, 'all' | 'get' | 'run'> {
  return {
    all: async <P extends object, R extends object>(statement: Statement<P, R>, parameters: P) =>
      (await send(statement, parameters)).rows as R[],
    get: async <P extends object, R extends object>(statement: Statement<P, R>, parameters: P) =>
      (await send(statement, parameters)).rows[0] as R | undefined,
    run: async (statement, parameters) => (await send(statement, parameters)).rowCount ?? 0,
  }
}

async function send<P extends object>(
  client: pg.PoolClient,
  { name, text, order, isRead }: Statement<P, object>,
  parameters: P,
): Promise<Answer> {
  const values = order.map(parameter => (parameters as Record<string, unknown>)[parameter])
  // PostgreSQL refuses a text with a NUL, which a path can have: `%00`. No row has such a text.
  if (isRead && values.some(value => typeof value === 'string' && value.includes('\0')))
    return { rows: [], rowCount: 0 }
  return client.query({ name, text, values })
}

/** Marks an error of a call that did not run, whatever its code. */
class Unsent extends Error {}

async function withClient<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect().catch((error: unknown) => {
    throw classify(error) === undefined ? error : new Unsent('', { cause: error })
  })
  try {
    const result = await work(client)
    client.release()
    return result
  } catch (error) {
    // The pool itself drops connections that have ended.
    client.release(error instanceof Unsent || classify(error) !== undefined)
    throw error
  }
}

/**
 * If this process stalls in a transaction, the server ends it after the first limit, so that its locks hold up nobody. The second limit
 * is how long a statement waits for such a lock.
 */
const begin = 'BEGIN; SET LOCAL idle_in_transaction_session_timeout = 10000; SET LOCAL lock_timeout = 4000'

async function runTransaction<T>(client: pg.PoolClient, work: (database: Database) => Promise<T>): Promise<T> {
  let result: T
  try {
    await client.query(begin)
    const within: Database = {
      ...toDatabase((statement, parameters) => send(client, statement, parameters)),
      exec: async sql => void (await client.query(sql)),
      atomically: inner => inner(within),
    }
    result = await work(within)
  } catch (error) {
    // Nothing was committed, so the server undoes it all. The rollback is for a connection that is still there.
    await client.query('ROLLBACK').catch(() => {})
    throw classify(error) === 'lost' ? new Unsent('', { cause: error }) : error
  }
  await client.query('COMMIT')
  return result
}

/** Repeats a call that failed without effect, or that may run twice. */
async function repeat<T>(isRepeatable: boolean, call: () => Promise<T>): Promise<T> {
  const endsAt = performance.now() + patienceMs
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await call()
    } catch (thrown) {
      const error = thrown instanceof Unsent ? thrown.cause : thrown
      const failure = thrown instanceof Unsent ? 'unsent' : classify(error)
      if (failure === undefined || (failure === 'lost' && !isRepeatable)) throw error
      const isOver = performance.now() + pauseMs >= endsAt
      if (isOver || failure === 'full' || failure === 'locked') throw toUnavailable(error, failure)
    }
    await pause(pauseMs)
  }
}

/** The numbers of the store are below 2^53. The driver would return bigint columns as texts. */
const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: unknown) =>
  oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text')
