// A noun of the store, such as the sites, is one object: its methods are generators that yield their calls. SQLite makes a call at once,
// and PostgreSQL is waited for. So a method, and the SQL that both databases understand, is written once.
import type BetterSqlite from 'better-sqlite3'
import type { InSteps, NounsAsSteps, Steps } from '../base/steps.ts'
import { UnavailableError } from '../base/unavailable-error.ts'
import type { Database as Postgres } from './postgres/database.ts'
import { type Statement as PostgresStatement, statement } from './postgres/statement.ts'
import type { WriteQueue } from './write-queue.ts'

/** What a statement writes differently for the two databases. */
export interface Dialect {
  isPostgres: boolean
  /** The time: that of the caller (`@now`) on SQLite, and that of the database on PostgreSQL, whose nodes have different clocks. */
  now: string
  /** The functions that return the largest and the smallest of their arguments. */
  greatest: string
  least: string
}

const sqliteDialect: Dialect = { isPostgres: false, now: '@now', greatest: 'max', least: 'min' }
const postgresDialect: Dialect = { isPostgres: true, now: 'now_ms()', greatest: 'greatest', least: 'least' }

/** An SQL statement for both databases. */
export interface Statement<Parameters extends object, Row extends object> {
  /** Null = nothing to do there. */
  sqlite: string | null
  postgres: PostgresStatement<Parameters, Row>
}

export interface StatementOptions {
  /** Whether PostgreSQL may run it again if its answer is lost. */
  isRepeatable?: boolean
  /** Whether it may take minutes on PostgreSQL. */
  isSlow?: boolean
}

/** @param text has named parameters: `@id`. SQLite locks the whole database, so locks of rows (`FOR UPDATE`, `FOR SHARE`) are left out there. */
export function sql<Parameters extends object, Row extends object = never>(
  text: string | ((dialect: Dialect) => string),
  options: StatementOptions = {},
): Statement<Parameters, Row> {
  const write = typeof text === 'string' ? () => text : text
  return {
    sqlite: write(sqliteDialect).replace(/ FOR (?:(?:NO KEY )?UPDATE|SHARE)(?: SKIP LOCKED)?/g, ''),
    postgres: statement<Parameters, Row>(write(postgresDialect), options),
  }
}

/** A statement that only PostgreSQL needs, such as a lock. */
export function onlyPostgres<Parameters extends object, Row extends object = never>(
  text: string,
  options: StatementOptions = {},
): Statement<Parameters, Row> {
  return { sqlite: null, postgres: statement<Parameters, Row>(text, options) }
}

type Kind = 'all' | 'get' | 'run' | 'runLate'

/** What a work asks of its database. */
type Call =
  | { kind: Kind; statement: Statement<object, object>; parameters: object }
  | { kind: 'inPostgres'; work: (database: Postgres) => Promise<unknown> }

/** The work of a method. */
export type Work<T> = Steps<T, Call>

/** The methods of an interface, written once for both databases. */
export type Works<Noun> = InSteps<Noun, Call>

export type NounWorks<Nouns> = NounsAsSteps<Nouns, Call>

export function* all<P extends object, R extends object>(statement: Statement<P, R>, parameters: P): Work<R[]> {
  return (yield { kind: 'all', statement: statement as never, parameters }) as R[]
}

/** Returns the first row. */
export function* get<P extends object, R extends object>(
  statement: Statement<P, R>,
  parameters: P,
): Work<R | undefined> {
  return (yield { kind: 'get', statement: statement as never, parameters }) as R | undefined
}

/** Returns the number of changed rows. */
export function* run<P extends object>(statement: Statement<P, never>, parameters: P): Work<number> {
  return (yield { kind: 'run', statement: statement as never, parameters }) as number
}

/** Writes the time of a use, which nobody waits for; nothing on PostgreSQL, whose statement has written it already. */
export function* runLate<P extends { id: string }>(statement: Statement<P, never>, parameters: P): Work<void> {
  yield { kind: 'runLate', statement: statement as never, parameters }
}

/** Does what only PostgreSQL does, and returns its outcome; undefined on SQLite. */
export function* inPostgres<T>(work: (database: Postgres) => Promise<T>): Work<T | undefined> {
  return (yield { kind: 'inPostgres', work }) as T | undefined
}

type AtomicIn = 'both' | 'sqlite' | 'repeatable'

const atomicWorks = new WeakMap<object, AtomicIn>()

/**
 * Marks a method whose calls are one transaction.
 *
 * @param where `sqlite` if PostgreSQL needs none, because the method makes a single call there; `repeatable` if PostgreSQL may run the
 *   whole transaction again when it is unknown whether it was committed, because a second time changes nothing.
 */
export function atomic<Method extends (...given: never[]) => Work<unknown>>(
  method: Method,
  where: AtomicIn = 'both',
): Method {
  atomicWorks.set(method, where)
  return method
}

type Method = (...given: unknown[]) => Work<unknown>
type AnyNouns = Record<string, Record<string, (...given: unknown[]) => unknown>>

/** Makes the methods of nouns for a database. */
export interface Bound<Nouns> {
  nouns: Nouns
  /** Makes the calls of a work within the transaction that the caller has begun. Throws if a call lacks `yield*`. */
  finish<T>(work: (nouns: NounsAsSteps<Nouns>) => Steps<T>): T
}

/**
 * Binds nouns to SQLite: their methods answer at once.
 *
 * @param write runs the writes that nobody waits for.
 */
export function bindToSqlite<Nouns>(
  database: BetterSqlite.Database,
  works: NounWorks<Nouns>,
  write: WriteQueue['write'],
): Bound<Nouns> {
  const prepared = new Map<object, BetterSqlite.Statement>()
  const writeLate = createLateWrites(write)
  const prepare = (statement: Statement<object, object>, text: string) => {
    const made = database.prepare(text)
    prepared.set(statement, made)
    return made
  }
  const make = (call: Call) => {
    if (call.kind === 'inPostgres') return undefined
    const { kind, statement, parameters } = call
    if (statement.sqlite === null) return kind === 'all' ? [] : undefined
    const known = prepared.get(statement) ?? prepare(statement, statement.sqlite)
    if (kind === 'runLate') return writeLate((parameters as { id: string }).id, () => void known.run(parameters))
    return kind === 'run' ? known.run(parameters).changes : known[kind](parameters)
  }
  const finish = <T>(work: Steps<T>) => {
    let next = work.next()
    while (!next.done) next = work.next(make(next.value as Call))
    return next.value
  }
  return {
    nouns: mapMethods(works, method => {
      const call = (...given: unknown[]) => finish(method(...given))
      return atomicWorks.has(method) ? database.transaction(call).immediate : call
    }) as Nouns,
    finish: work => finish(guard(works, work)),
  }
}

/** Binds nouns to PostgreSQL: their methods answer promises. */
export function bindToPostgres<Nouns>(database: Postgres, works: NounWorks<Nouns>): Nouns {
  return mapMethods(works, method => {
    const where = atomicWorks.get(method) ?? 'sqlite'
    if (where === 'sqlite') return (...given: unknown[]) => finishInPostgres(database, method(...given))
    const isRepeatable = where === 'repeatable'
    return (...given: unknown[]) =>
      database.atomically(within => finishInPostgres(within, method(...given)), isRepeatable)
  }) as Nouns
}

/** Makes the calls of a work in a transaction. Throws if a call lacks `yield*`. */
export function workInPostgres<Nouns, T>(
  within: Postgres,
  works: NounWorks<Nouns>,
  work: (nouns: NounsAsSteps<Nouns>) => Steps<T>,
): Promise<T> {
  return finishInPostgres(within, guard(works, work))
}

async function finishInPostgres<T>(database: Postgres, work: Steps<T>): Promise<T> {
  let next = work.next()
  while (!next.done) {
    const call = next.value as Call
    if (call.kind === 'inPostgres') next = work.next(await call.work(database))
    else if (call.kind === 'runLate') next = work.next()
    else {
      const make = database[call.kind] as (...given: unknown[]) => Promise<unknown>
      next = work.next(await make(call.statement.postgres, call.parameters))
    }
  }
  return next.value
}

function mapMethods(works: object, bind: (method: Method) => (...given: unknown[]) => unknown): AnyNouns {
  const mapNoun = (noun: object) =>
    Object.fromEntries(Object.entries(noun).map(([name, method]) => [name, bind(method as Method)]))
  return Object.fromEntries(Object.entries(works).map(([name, noun]) => [name, mapNoun(noun as object)]))
}

/** Gives a work the methods of the nouns, and checks that it made each call: one without `yield*` would be lost in silence. */
function* guard<Nouns, T>(works: NounWorks<Nouns>, work: (nouns: NounsAsSteps<Nouns>) => Steps<T>): Steps<T> {
  let open = 0
  const nouns = mapMethods(works, method => (...given) => {
    open += 1
    return (function* () {
      open -= 1
      return yield* method(...given)
    })()
  })
  const result = yield* work(nouns as NounsAsSteps<Nouns>)
  if (open > 0) throw new Error(`${open} of the steps of a transaction lack yield*, so they were not made.`)
  return result
}

/** A time of use is stored to the minute, so frequent use does not cause a write per request. */
export const useResolutionMs = 60_000

/** Whether a use is not stored yet. A last use in the future was stored before the clock was set back. */
export function isNewUse(storedAt: number | null, now: number): boolean {
  return Math.abs(now - (storedAt ?? 0)) >= useResolutionMs
}

/**
 * Returns a function that makes a write which nobody waits for, later if the database is locked. It ignores a database that
 * cannot be written now, so read-only requests still work. While the write of an id waits, it makes no other for the id.
 */
function createLateWrites(write: WriteQueue['write']): (id: string, store: () => void) => void {
  const waiting = new Set<string>()

  return (id, store) => {
    if (waiting.has(id)) return
    try {
      const stored = write(store)
      if (!(stored instanceof Promise)) return
      waiting.add(id)
      stored.catch(() => {}).finally(() => waiting.delete(id))
    } catch (error) {
      const isUnwritable = /^SQLITE_(BUSY|FULL|READONLY|IOERR)/.test(String((error as { code?: unknown }).code))
      if (!isUnwritable && !(error instanceof UnavailableError)) throw error
    }
  }
}
