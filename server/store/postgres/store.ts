import type { Steps } from '../../base/steps.ts'
import { bindToPostgres, workInPostgres } from '../noun.ts'
import { type Nouns, type NounsInSteps, nouns } from '../nouns.ts'
import { openPostgresRateLimits } from '../rate-limits.ts'
import { openAgreedLinkKey } from './agreed-link-key.ts'
import { connect } from './database.ts'
import { openExclusively } from './exclusively.ts'
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
    /** Fails if the database cannot be written. */
    check: async (now: number) => void (await database.run(check, { now })),
    async close() {
      await visits.close()
      await database.close()
    },
  }
}
