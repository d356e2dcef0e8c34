import pg from 'pg'
import findPassword from 'pgpass'
import { endedStatements } from '../../base/measures.ts'
import { endsConnection, lacksPreparedStatement, Unsent } from './failures.ts'
import { toDriverUrl } from './postgres-url.ts'

/** Connections of one process. */
const maxConnections = 10
/** The limit of a statement that may be slow, such as one of an import. */
const slowMs = 10 * 60_000
/** A network that loses everything in silence is noticed after this time and ten more seconds, also on connections that wait. */
const keepAliveMs = 10_000

/**
 * What the server ends by itself. The first is how long a statement waits for a lock, so that its failure is known to have changed
 * nothing. The second is for a process that stalls in a transaction: its locks hold up nobody for longer. Poolers between Quire and the
 * server do not pass these settings as parameters of the connection, so they are statements.
 */
const limits = 'lock_timeout = 4000, idle_in_transaction_session_timeout = 10000'.split(', ')

/** Begins a transaction. A pooler may give it a connection without the settings. */
export const begin = ['BEGIN', ...limits.map(limit => `SET LOCAL ${limit}`)].join('; ')

/** A connection while one call uses it. */
export interface Session {
  /** @param isSlow whether it may take minutes. */
  query(query: { name?: string; text: string; values?: unknown[] }, isSlow?: boolean): Promise<pg.QueryResult<object>>
  /** Whether the connection has ended, or must not be used again. */
  readonly isBroken: boolean
}

/** The connections of a process to a database. */
export interface Connections {
  /**
   * Waits for a free connection and gives it to the work.
   *
   * @param limitMs how long getting the connection and each statement that is not slow may take. After that, the connection is dropped.
   * @throws {Unsent} if no connection could be had.
   */
  use<T>(limitMs: number, work: (session: Session) => Promise<T>): Promise<T>
  /** Returns how many calls wait for a connection. */
  countWaiting(): number
  close(): Promise<void>
}

/**
 * Looks for a missing password in the password file: the driver would do so with a deprecation warning. Ends the connection to a server
 * that the driver cannot answer, as without a password. The process would wait for its end.
 */
class ClosingClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config)
    // An address without a password hides a `password` of the configuration.
    const inFile = (server: Parameters<typeof findPassword>[0]) => new Promise(done => findPassword(server, done))
    if (!this.password) Object.assign(this, { password: inFile })
  }

  override connect(): Promise<pg.Client>
  override connect(done: (error: Error) => void): void
  override connect(done?: (error: Error) => void): Promise<pg.Client> | undefined {
    if (!done) return super.connect()
    super.connect((error: Error) => {
      if (error) void this.end()
      done(error)
    })
    return undefined
  }
}

/**
 * Prepares connections, which are made when they are used.
 *
 * @param onLost is told about connections that end while nobody uses them.
 */
export function openConnections(url: string, connectMs: number, onLost: (error: Error) => void): Connections {
  const pool = new pg.Pool({
    Client: ClosingClient,
    connectionString: toDriverUrl(url),
    max: maxConnections,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    application_name: 'quire',
    types: { getTypeParser },
    onConnect: client => setUp(client, connectMs),
  })
  // Without a listener, the end of a connection would end the process: the first is for connections that nobody uses, the second for the
  // others, whose calls fail as well.
  pool.on('error', error => onLost(withoutClient(error)))
  pool.on('connect', client => void client.on('error', () => {}))
  // Whether statements are prepared under their names. Becomes false behind a pooler that gives each transaction another connection.
  const names = { areUsed: true }
  return {
    async use(limitMs, work) {
      const client = await acquire(pool, limitMs)
      const session = openSession(client, limitMs, names)
      try {
        return await work(session)
      } finally {
        client.release(session.isBroken)
      }
    },
    countWaiting: () => pool.waitingCount,
    close: () => pool.end(),
  }
}

/** The pool adds the whole connection to the error: with the user and the key that cancels statements, which no log may have. */
function withoutClient(error: Error & { code?: unknown }): Error {
  return Object.assign(new Error(error.message), error.code === undefined ? {} : { code: error.code })
}

async function setUp(client: pg.ClientBase, connectMs: number): Promise<void> {
  const query = (text: string) => {
    const config = { text, query_timeout: connectMs }
    return client.query(config)
  }
  await query(limits.map(limit => `SET ${limit}`).join('; '))
  // Ends statements whose caller is gone. Not every system that PostgreSQL runs on can do it.
  await query('SET client_connection_check_interval = 2000').catch(() => {})
}

async function acquire(pool: pg.Pool, limitMs: number): Promise<pg.PoolClient> {
  const connecting = pool.connect()
  const { promise: isLate, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('timeout exceeded when trying to connect')), limitMs)
  try {
    return await Promise.race([connecting, isLate])
  } catch (error) {
    connecting.then(
      client => client.release(),
      () => {},
    )
    throw new Unsent('', { cause: error })
  } finally {
    clearTimeout(timer)
  }
}

function openSession(client: pg.PoolClient, limitMs: number, names: { areUsed: boolean }): Session {
  let isBroken = false
  return {
    get isBroken() {
      return isBroken
    },
    async query({ name, ...query }, isSlow = false) {
      const config = { ...query, query_timeout: isSlow ? slowMs : limitMs }
      const startedAt = performance.now()
      try {
        return await client.query<object>(name !== undefined && names.areUsed ? { ...config, name } : config)
      } catch (error) {
        if (lacksPreparedStatement(error)) names.areUsed = false
        if (endsConnection(error)) isBroken = true
        throw error
      } finally {
        if (endedStatements.isHeard) endedStatements.tell({ text: query.text, ms: performance.now() - startedAt })
      }
    },
  }
}

/** The numbers of the store are below 2^53. The driver would return bigint columns as texts. */
const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: unknown) =>
  oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text')
