import { type Sessions, sessionIdleMs } from '../../tenancy/sign-in.ts'
import { useResolutionMs } from '../note-use.ts'
import { type PersonRow, toPerson } from '../person-row.ts'
import { type SessionRow, toSession } from '../session-row.ts'
import type { Database } from './database.ts'
import { statement } from './statement.ts'

/** A session with its person. */
type FoundRow = SessionRow & Omit<PersonRow, 'id' | 'created_at'> & { person_created_at: number }

const columns = 'id, person_id, created_at, last_seen_at, expires_at, address'
const isOpen = `expires_at > @now AND last_seen_at > @now - ${sessionIdleMs}`

const deleteEnded = statement<{ now: number }>(`DELETE FROM sessions WHERE NOT (${isOpen})`)
const insert = statement<SessionRow & { secret_sha256: Buffer }>(
  `INSERT INTO sessions (${columns}, secret_sha256)
   VALUES (@id, @person_id, @created_at, @last_seen_at, @expires_at, @address, @secret_sha256)`,
)
// One round trip, which writes once a minute. The second part reads the row as it was before.
const find = statement<{ secretSha256: Buffer; now: number }, FoundRow>(
  `WITH seen AS (
     UPDATE sessions SET last_seen_at = @now
     WHERE secret_sha256 = @secretSha256 AND ${isOpen} AND abs(@now - last_seen_at) >= ${useResolutionMs}
   )
   SELECT open.*, organization_id, name, people.created_at AS person_created_at
   FROM (SELECT ${columns} FROM sessions WHERE secret_sha256 = @secretSha256 AND ${isOpen}) AS open
   JOIN people ON people.id = person_id`,
  { isRepeatable: true },
)
const list = statement<{ personId: string; now: number }, SessionRow>(
  `SELECT ${columns} FROM sessions WHERE person_id = @personId AND ${isOpen} ORDER BY created_at DESC, id`,
)
const end = statement<{ id: string }>('DELETE FROM sessions WHERE id = @id')
const endAll = statement<{ personId: string }>('DELETE FROM sessions WHERE person_id = @personId')

export function openSessions(database: Database): Sessions {
  return {
    insert: (session, secretSha256) =>
      database.atomically(async within => {
        await within.run(deleteEnded, { now: session.createdAt })
        await within.run(insert, {
          id: session.id,
          person_id: session.personId,
          secret_sha256: secretSha256,
          created_at: session.createdAt,
          last_seen_at: session.lastSeenAt,
          expires_at: session.expiresAt,
          address: session.address,
        })
      }),
    async find(secretSha256, now) {
      const row = await database.get(find, { secretSha256, now })
      if (!row) return undefined
      const { person_id: id, organization_id, name, person_created_at: created_at } = row
      return { session: toSession(row), person: toPerson({ id, organization_id, name, created_at }) }
    },
    list: async (personId, now) => (await database.all(list, { personId, now })).map(toSession),
    end: async id => (await database.run(end, { id })) === 1,
    endAll: personId => database.run(endAll, { personId }),
  }
}
