import type { Exclusively } from '../../base/exclusively.ts'
import type { Steps } from '../../base/steps.ts'
import { bindToPostgres, workInPostgres } from '../noun.ts'
import { type Nouns, type NounsInSteps, nouns } from '../nouns.ts'
import { openPostgresRateLimits } from '../rate-limits.ts'
import type { AgreedLinkKey } from '../shared-link-keys.ts'
import { connect, type Database } from './database.ts'
import { explain } from './explain.ts'
import { migrate } from './migrate.ts'
import { statement } from './statement.ts'
import { openPostgresVisits, type PostgresVisitsOptions } from './visits/visits.ts'

export type PostgresStore = Awaited<ReturnType<typeof openPostgresStore>>

const check = statement<{ now: number }>(
  'INSERT INTO readiness (id, checked_at) VALUES (1, @now) ON CONFLICT (id) DO UPDATE SET checked_at = @now',
  { isRepeatable: true },
)

/** Any number that all nodes use and no other program does. */
const changesKey = 7_114_738_204
// Works of `atomically` come one after the other, as in SQLite: what one has not found, no other inserts before its end.
const lockChanges = statement<{ key: number }, object>('SELECT pg_advisory_xact_lock(@key)')

/**
 * Opens the store of a PostgreSQL database, which several machines may share, and applies pending migrations. The caller closes it.
 *
 * @param url such as `postgres://quire:secret@db.example.com/quire`.
 * @param onLost is told about connections that end while nobody uses them.
 * @throws {OperatorError} if the database cannot be used, see `migrate`.
 */
export async function openPostgresStore(
  url: string,
  onLost?: (error: Error) => void,
  visitOptions: Omit<PostgresVisitsOptions, 'url'> = {},
) {
  const database = connect(url, onLost)
  try {
    await migrate(database)
  } catch (error) {
    await database.close()
    throw explain(url, error)
  }
  const visits = openPostgresVisits(database, { url, ...visitOptions })
  return {
    ...bindToPostgres<Nouns>(database, nouns),
    visits,
    rateLimits: openPostgresRateLimits(database),
    /**
     * Makes several changes in one transaction: all, or none if the work throws. The work begins again if the connection is lost
     * before the end.
     */
    atomically: <T>(work: (nouns: NounsInSteps) => Steps<T>): Promise<T> =>
      database.atomically(async within => {
        await within.get(lockChanges, { key: changesKey })
        return workInPostgres(within, nouns, work)
      }),
    exclusively: openExclusively(database),
    linkKey: openAgreedLinkKey(database),
    countWaiting: database.countWaiting,
    /** Fails if the database cannot be written. */
    check: async (now: number) => void (await database.run(check, { now })),
    async close() {
      await visits.close()
      await database.close()
    },
  }
}

const insertLinkKey = statement<{ fingerprint: Buffer }>(
  'INSERT INTO link_key (id, fingerprint) VALUES (1, @fingerprint) ON CONFLICT (id) DO NOTHING',
  { isRepeatable: true },
)
const findLinkKey = statement<object, { fingerprint: Buffer }>('SELECT fingerprint FROM link_key')
const updateLinkKey = statement<{ fingerprint: Buffer }>('UPDATE link_key SET fingerprint = @fingerprint', {
  isRepeatable: true,
})
const deleteLinkKey = statement<object>('DELETE FROM link_key', { isRepeatable: true })

function openAgreedLinkKey(database: Database): AgreedLinkKey {
  return {
    async agree([fingerprint, ...others]) {
      await database.run(insertLinkKey, { fingerprint })
      const used = (await database.get(findLinkKey, {}))?.fingerprint
      if (used === undefined || used.equals(fingerprint)) return used !== undefined
      const isEarlier = others.some(other => other.equals(used))
      if (isEarlier) await database.run(updateLinkKey, { fingerprint })
      return isEarlier
    },
    find: async () => (await database.get(findLinkKey, {}))?.fingerprint,
    forget: async () => void (await database.run(deleteLinkKey, {})),
  }
}

/** Any number that no other lock of Quire has. */
const namedLocks = 711_473
const tryNamedLock = statement<{ name: string }, { got: boolean }>(
  `SELECT pg_try_advisory_xact_lock(${namedLocks}, hashtext(@name)) AS got`,
)

/**
 * Holds a lock of a transaction while the work runs: the lock ends with the connection of this machine. A machine that lost its connection
 * does not notice, so the work of two machines may overlap then. Its work counts as run, and is not repeated.
 */
function openExclusively(database: Database): Exclusively {
  return async (name, work) => {
    let outcome: { error?: unknown } | undefined
    const locked = database.atomically(async within => {
      // The transaction begins again if the connection was lost meanwhile.
      if (outcome) return
      // The connection is idle while the work uses others.
      await within.exec('SET LOCAL idle_in_transaction_session_timeout = 0')
      const { got = false } = (await within.get(tryNamedLock, { name })) ?? {}
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
