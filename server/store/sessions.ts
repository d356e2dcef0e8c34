import { type Session, type Sessions, sessionIdleMs } from '../tenancy/sign-in.ts'
import { all, atomic, get, isNewUse, run, runLate, sql, useResolutionMs, type Works } from './noun.ts'
import { type PersonRow, toPerson } from './person-row.ts'

/** A row of the table `sessions`. */
interface SessionRow {
  id: string
  person_id: string
  created_at: number
  last_seen_at: number
  expires_at: number
  address: string
}

function toSession(row: SessionRow): Session {
  return {
    id: row.id,
    personId: row.person_id,
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at,
    expiresAt: row.expires_at,
    address: row.address,
  }
}

/** A session with its person. */
type FoundRow = SessionRow & Omit<PersonRow, 'id' | 'created_at'> & { person_created_at: number }

const columns = 'id, person_id, created_at, last_seen_at, expires_at, address'
const isOpen = `expires_at > @now AND last_seen_at > @now - ${sessionIdleMs}`

const deleteEnded = sql<{ now: number }>(`DELETE FROM sessions WHERE NOT (${isOpen})`)
const insert = sql<SessionRow & { secret_sha256: Buffer }>(
  `INSERT INTO sessions (${columns}, secret_sha256)
   VALUES (@id, @person_id, @created_at, @last_seen_at, @expires_at, @address, @secret_sha256)`,
)
// PostgreSQL notes the use in the same round trip, once a minute. The second part reads the row as it was before.
const noteUse = `WITH seen AS (
     UPDATE sessions SET last_seen_at = @now
     WHERE secret_sha256 = @secretSha256 AND ${isOpen} AND abs(@now - last_seen_at) >= ${useResolutionMs}
   )`
const find = sql<{ secretSha256: Buffer; now: number }, FoundRow>(
  ({ isPostgres }) => `${isPostgres ? noteUse : ''}
   SELECT open.*, organization_id, name, people.created_at AS person_created_at
   FROM (SELECT ${columns} FROM sessions WHERE secret_sha256 = @secretSha256 AND ${isOpen}) AS open
   JOIN people ON people.id = person_id`,
  { isRepeatable: true },
)
const touch = sql<{ id: string; now: number }>('UPDATE sessions SET last_seen_at = @now WHERE id = @id')
const list = sql<{ personId: string; now: number }, SessionRow>(
  `SELECT ${columns} FROM sessions WHERE person_id = @personId AND ${isOpen} ORDER BY created_at DESC, id`,
)
const end = sql<{ id: string }>('DELETE FROM sessions WHERE id = @id')
const endAll = sql<{ personId: string }>('DELETE FROM sessions WHERE person_id = @personId')

export const sessions: Works<Sessions> = {
  insert: atomic(function* (...[session, secretSha256]: Parameters<Sessions['insert']>) {
    yield* run(deleteEnded, { now: session.createdAt })
    yield* run(insert, {
      id: session.id,
      person_id: session.personId,
      secret_sha256: secretSha256,
      created_at: session.createdAt,
      last_seen_at: session.lastSeenAt,
      expires_at: session.expiresAt,
      address: session.address,
    })
  }),
  *find(secretSha256, now) {
    const row = yield* get(find, { secretSha256, now })
    if (!row) return undefined
    if (isNewUse(row.last_seen_at, now)) yield* runLate(touch, { id: row.id, now })
    const { person_id: id, organization_id, name, person_created_at: created_at } = row
    return { session: toSession(row), person: toPerson({ id, organization_id, name, created_at }) }
  },
  *list(personId, now) {
    return (yield* all(list, { personId, now })).map(toSession)
  },
  *end(id) {
    return (yield* run(end, { id })) === 1
  },
  *endAll(personId) {
    return yield* run(endAll, { personId })
  },
}
