import type { Exclusively } from '../../base/exclusively.ts'
import type { Database } from './database.ts'
import { statement } from './statement.ts'

/** Any number that no other lock of Quire has. */
const lockSpace = 711_473
const tryLock = statement<{ name: string }, { got: boolean }>(
  `SELECT pg_try_advisory_xact_lock(${lockSpace}, hashtext(@name)) AS got`,
)

/**
 * Holds a lock of a transaction while the work runs: the lock ends with the connection of this machine. A machine that lost its connection
 * does not notice, so the work of two machines may overlap then. Its work counts as run, and is not repeated.
 */
export function openExclusively(database: Database): Exclusively {
  return async (name, work) => {
    let outcome: { error?: unknown } | undefined
    const locked = database.atomically(async within => {
      // The transaction begins again if the connection was lost meanwhile.
      if (outcome) return
      // The connection is idle while the work uses others.
      await within.exec('SET LOCAL idle_in_transaction_session_timeout = 0')
      const { got = false } = (await within.get(tryLock, { name })) ?? {}
      if (!got) return
      // An error of the work must not begin the transaction again.
      outcome = await work().then(
        () => ({}),
        error => ({ error }),
      )
    })
    await locked.catch(error => {
      if (!outcome) throw error
    })
    if (outcome && 'error' in outcome) throw outcome.error
    return outcome !== undefined
  }
}
