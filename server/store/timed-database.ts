import type { Database, Statement } from 'better-sqlite3'
import { endedStatements } from '../base/measures.ts'

type AnyFunction = (this: unknown, ...given: never[]) => unknown
type AnyStatement = Statement<unknown[], unknown>

/** Told in place of the statements that begin and end a transaction. The end waits for the disk. */
export const transactionText = 'BEGIN, COMMIT'

const forms = ['default', 'deferred', 'immediate', 'exclusive'] as const

/**
 * Makes a database tell the time of each statement, see `endedStatements`. Methods of this one object are replaced, so a process in which
 * nobody listens when it opens its databases pays nothing.
 */
export function timeStatements(database: Database): void {
  const { prepare, transaction } = database
  database.prepare = ((text: string) => {
    const statement = prepare.call(database, text) as AnyStatement
    return timeStatement(statement)
  }) as Database['prepare']
  database.transaction = ((work: AnyFunction) => {
    let workMs = 0
    const timedWork: AnyFunction = function (...given) {
      const startedAt = performance.now()
      try {
        return work.apply(this, given)
      } finally {
        workMs = performance.now() - startedAt
      }
    }
    const made = transaction.call(database, timedWork as never) as unknown as Record<string, AnyFunction>
    const timed = forms.map(form => {
      const run: AnyFunction = function (...given) {
        workMs = 0
        const startedAt = performance.now()
        try {
          return made[form]?.apply(this, given)
        } finally {
          endedStatements.tell({ text: transactionText, ms: performance.now() - startedAt - workMs })
        }
      }
      return [form, run] as const
    })
    const all = Object.fromEntries(timed)
    for (const form of timed) Object.assign(form[1], all, { database })
    return all.default
  }) as Database['transaction']
}

function timeStatement(statement: AnyStatement): AnyStatement {
  const text = statement.source
  const { run, get, all, iterate } = statement
  const time =
    (method: AnyFunction): AnyFunction =>
    (...given) => {
      const startedAt = performance.now()
      try {
        return method.apply(statement, given)
      } finally {
        endedStatements.tell({ text, ms: performance.now() - startedAt })
      }
    }
  return Object.assign(statement, {
    run: time(run as AnyFunction),
    get: time(get as AnyFunction),
    all: time(all as AnyFunction),
    /** The time of the reader between two rows does not count. */
    *iterate(...given: unknown[]) {
      let ms = 0
      const rows = iterate.apply(statement, given)
      try {
        for (;;) {
          const startedAt = performance.now()
          const next = rows.next()
          ms += performance.now() - startedAt
          if (next.done) return
          yield next.value
        }
      } finally {
        // Otherwise, the database stays busy after a reader that ends early.
        rows.return?.()
        endedStatements.tell({ text, ms })
      }
    },
  }) as AnyStatement
}
