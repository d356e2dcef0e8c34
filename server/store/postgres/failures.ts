import { inspect } from 'node:util'
import pg from 'pg'
import { UnavailableError } from '../../base/unavailable-error.ts'

/**
 * What an error of the connection or of PostgreSQL means for the call:
 * - unsent: it did not run, or all of it was undone, and it may work the next time.
 * - lost: the connection ended, and it is unknown whether it ran.
 * - locked: another connection kept a lock for too long.
 * - full: the disk of the database is full.
 */
export type Failure = 'unsent' | 'lost' | 'locked' | 'full'

/** Codes of Node and of PostgreSQL, https://www.postgresql.org/docs/current/errcodes-appendix.html. */
const failures: Record<string, Failure> = {
  ECONNREFUSED: 'unsent',
  EHOSTUNREACH: 'unsent',
  ENETUNREACH: 'unsent',
  EHOSTDOWN: 'unsent',
  ENETDOWN: 'unsent',
  EAI_AGAIN: 'unsent',
  ENOTFOUND: 'unsent', // while a failover changes the DNS
  '57P01': 'unsent', // admin_shutdown: the server stops, and undoes what runs
  '57P03': 'unsent', // cannot_connect_now: it starts
  '53300': 'unsent', // too_many_connections
  '40001': 'unsent', // serialization_failure
  '40P01': 'unsent', // deadlock_detected
  '25P03': 'unsent', // idle_in_transaction_session_timeout
  '57P05': 'unsent', // idle_session_timeout
  '57014': 'unsent', // query_canceled, as by a limit that the server has
  '25006': 'unsent', // read_only_sql_transaction: this is no longer the primary
  '26000': 'unsent', // invalid_sql_statement_name, see lacksPreparedStatement
  '42P05': 'unsent', // duplicate_prepared_statement
  ECONNRESET: 'lost',
  EPIPE: 'lost',
  ETIMEDOUT: 'lost',
  '57P02': 'lost', // crash_shutdown
  '55P03': 'locked', // lock_not_available
  '53100': 'full', // disk_full
}

/** The driver has no codes for these. */
const messages: readonly (readonly [RegExp, Failure])[] = [
  [/timeout exceeded when trying to connect|is not queryable|connection is closed/, 'unsent'],
  // A node with a newer schema changed the table of a prepared statement.
  [/^cached plan must not change result type/, 'unsent'],
  [/^Connection terminated|^Query read timeout/, 'lost'],
]

/** Marks an error of a call that did not run, or that was undone, whatever its code. */
export class Unsent extends Error {}

/** Returns undefined for an error of the call itself, such as a second row with the same key. */
export function classify(error: unknown): Failure | undefined {
  const { code, message } = error as { code?: unknown; message?: unknown }
  const byCode = failures[String(code)]
  return byCode ?? messages.find(([pattern]) => pattern.test(String(message)))?.[1]
}

/**
 * Codes of errors that end the connection, or show that it leads to the wrong server or has an outdated plan. The driver does not say
 * which errors are fatal: their severity is in the language of the server.
 */
const endings = /^(08|28|57P|25P03|25P04|25006|0A000|53300)/

/** Whether the connection of a failed statement cannot be used any more. */
export function endsConnection(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || endings.test(error.code ?? '')
}

/** Whether a pooler gave the transaction another connection than the one that prepared the statement. */
export function lacksPreparedStatement(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return code === '26000' || code === '42P05'
}

/** Converts the error of a call that changed nothing and is not repeated any more. */
export function toUnavailable(error: unknown, failure: Failure): UnavailableError {
  const { code, message } = error as { code?: unknown; message?: unknown }
  const reason = failure === 'full' || failure === 'locked' ? failure : code === '25006' ? 'read-only' : 'unreachable'
  return new UnavailableError(reason, String(code ?? message), { cause: error })
}

/** A table or a column is missing, though the schema has the right version. A command shows the message without the stack. */
export class DamagedError extends Error {
  [inspect.custom](): string {
    return this.message
  }
}

/** Converts the error of a statement whose table or column is missing; undefined = another error. */
export function toDamage(error: unknown): DamagedError | undefined {
  const { code, message } = error as { code?: unknown; message?: unknown }
  const kind = code === '42P01' ? 'table' : code === '42703' ? 'column' : undefined
  if (kind === undefined) return undefined
  // The language of the server decides the quotes. A column with its table has none.
  const name = /["«»„“]([^"«»„“”]+)["«»“”]|(?<!\w)\w+\.\w+/.exec(String(message))
  const sentence = `The database is damaged: the ${kind} ${name?.[1] ?? name?.[0] ?? ''} is missing. Restore it from a dump.`
  return new DamagedError(sentence, { cause: error })
}
