import { setTimeout as pause } from 'node:timers/promises'
import { OperatorError } from '../../base/operator-error.ts'
import { begin, openConnections, type Session } from './connections.ts'
import { classify, toDamage, toUnavailable, Unsent } from './failures.ts'
import type { Statement } from './statement.ts'

/** How long a call is repeated while the server cannot be reached. Clients get their answer within 5 s, also a 503. */
const patienceMs = 4500
/** The limit of the last attempt is not shorter than this. */
const shortestAttemptMs = 500
const firstPauseMs = 20
const longestPauseMs = 250

/** Statements on a database, or in a transaction of it. */
export interface Database {
  all<P extends object, R extends object>(statement: Statement<P, R>, parameters: P): Promise<R[]>
  /** Returns the first row. */
  get<P extends object, R extends object>(statement: Statement<P, R>, parameters: P): Promise<R | undefined>
  /** Returns the number of changed rows. */
  run<P extends object>(statement: Statement<P, never>, parameters: P): Promise<number>
  /** Runs several statements without parameters, which may be slow. */
  exec(sql: string): Promise<void>
  /**
   * Runs the work in one transaction: all of it, or nothing if it throws. Within a transaction, the work belongs to that one. It runs
   * again if the connection is lost before the end, or another transaction stands in its way, so it changes nothing but the database.
   *
   * @param isRepeatable whether it may also run again if it is unknown whether it was committed
   */
  atomically<T>(work: (database: Database) => Promise<T>, isRepeatable?: boolean): Promise<T>
}

/** A pool of connections to a database. */
export interface ConnectedDatabase extends Database {
  /** Returns how many calls wait for a connection. */
  countWaiting(): number
  close(): Promise<void>
}

/**
 * Connects to a database when it is first used. While the server cannot be reached, or does not answer, calls are repeated for a few
 * seconds if that is safe, and then fail with an `UnavailableError`. The caller closes it.
 *
 * @param onLost is told about connections that end while nobody uses them.
 */
export function connect(url: string, onLost: (error: Error) => void = () => {}): ConnectedDatabase {
  const connections = openConnections(url, patienceMs, onLost)
  const statements = <P extends object>(statement: Statement<P, object>, parameters: P) =>
    repeat(statement.isRepeatable, limitMs => connections.use(limitMs, session => send(session, statement, parameters)))
  return {
    ...toDatabase(statements),
    exec: sql =>
      repeat(false, limitMs =>
        connections.use(limitMs, async session => void (await session.query({ text: sql }, true))),
      ),
    atomically: (work, isRepeatable = false) =>
      repeat(isRepeatable, limitMs => connections.use(limitMs, session => runTransaction(session, work))),
    countWaiting: connections.countWaiting,
    close: () => connections.close(),
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
  session: Session,
  { name, text, order, isRead, isSlow }: Statement<P, object>,
  parameters: P,
): Promise<Answer> {
  const values = order.map(parameter => (parameters as Record<string, unknown>)[parameter])
  // PostgreSQL refuses a text with a NUL, which a path can have: `%00`. No row has such a text.
  const refused = order[values.findIndex(value => typeof value === 'string' && value.includes('\0'))]
  if (refused !== undefined) {
    if (isRead) return { rows: [], rowCount: 0 }
    throw new OperatorError(`PostgreSQL cannot store a text with a NUL character, as ${refused} has.`)
  }
  return session.query({ name, text, values }, isSlow)
}

async function runTransaction<T>(session: Session, work: (database: Database) => Promise<T>): Promise<T> {
  let result: T
  try {
    await session.query({ text: begin })
    const within: Database = {
      ...toDatabase((statement, parameters) => send(session, statement, parameters)),
      exec: async sql => void (await session.query({ text: sql }, true)),
      atomically: inner => inner(within),
    }
    result = await work(within)
  } catch (error) {
    // Nothing was committed, so the server undoes it all. The rollback is for a connection that stays.
    if (!session.isBroken) await session.query({ text: 'ROLLBACK' }).catch(() => {})
    throw classify(error) === 'lost' ? new Unsent('', { cause: error }) : error
  }
  const { command } = await session.query({ text: 'COMMIT' })
  // The work caught the error of a statement and went on.
  if (command !== 'COMMIT') throw new Error('The transaction was undone, because one of its statements failed.')
  return result
}

/** Repeats a call that failed without effect, or that may run twice. */
async function repeat<T>(isRepeatable: boolean, call: (limitMs: number) => Promise<T>): Promise<T> {
  const endsAt = performance.now() + patienceMs
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await call(Math.max(endsAt - performance.now(), shortestAttemptMs))
    } catch (thrown) {
      const error = thrown instanceof Unsent ? thrown.cause : thrown
      const failure = thrown instanceof Unsent && classify(error) !== undefined ? 'unsent' : classify(error)
      if (failure === undefined) throw toDamage(error) ?? error
      if (failure === 'lost' && !isRepeatable) throw error
      const isOver = performance.now() + pauseMs >= endsAt
      if (isOver || failure === 'full' || failure === 'locked') throw toUnavailable(error, failure)
    }
    // Calls that stood in each other's way do not meet again.
    await pause(pauseMs * (0.5 + Math.random()))
  }
}
