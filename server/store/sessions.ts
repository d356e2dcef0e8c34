import { type Session, type Sessions, sessionIdleMs } from '../tenancy/sign-in.ts'
import type { Database } from './database.ts'
import { createUseNotes } from './note-use.ts'
import { prepareFindPerson } from './people.ts'
import { type SessionRow, toSession } from './session-row.ts'
import type { WriteQueue } from './write-queue.ts'

const columns = 'id, person_id, created_at, last_seen_at, expires_at, address'
const isOpen = `expires_at > @now AND last_seen_at > @now - ${sessionIdleMs}`

/** @param write runs the writes that nobody waits for. */
export function openSessions(database: Database, write: WriteQueue['write'] = work => work()): Sessions {
  const deleteEnded = database.prepare<{ now: number }>(`DELETE FROM sessions WHERE NOT (${isOpen})`)
  const insert = database.prepare<SessionRow & { secret_sha256: Buffer }>(
    `INSERT INTO sessions (${columns}, secret_sha256)
     VALUES (@id, @person_id, @created_at, @last_seen_at, @expires_at, @address, @secret_sha256)`,
  )
  const find = database.prepare<{ secretSha256: Buffer; now: number }, SessionRow>(
    `SELECT ${columns} FROM sessions WHERE secret_sha256 = @secretSha256 AND ${isOpen}`,
  )
  const touch = database.prepare<{ id: string; now: number }>('UPDATE sessions SET last_seen_at = @now WHERE id = @id')
  const list = database.prepare<{ personId: string; now: number }, SessionRow>(
    `SELECT ${columns} FROM sessions WHERE person_id = @personId AND ${isOpen} ORDER BY created_at DESC, id`,
  )
  const end = database.prepare<{ id: string }>('DELETE FROM sessions WHERE id = @id')
  const endAll = database.prepare<{ personId: string }>('DELETE FROM sessions WHERE person_id = @personId')
  const findPerson = prepareFindPerson(database)
  const noteUse = createUseNotes(write, use => touch.run(use))

  return {
    insert: database.transaction((session: Session, secretSha256: Buffer) => {
      deleteEnded.run({ now: session.createdAt })
      insert.run({
        id: session.id,
        person_id: session.personId,
        secret_sha256: secretSha256,
        created_at: session.createdAt,
        last_seen_at: session.lastSeenAt,
        expires_at: session.expiresAt,
        address: session.address,
      })
    }).immediate,
    find(secretSha256, now) {
      const row = find.get({ secretSha256, now })
      if (!row) return undefined
      const person = findPerson(row.person_id)
      if (!person) return undefined
      noteUse({ id: row.id, storedAt: row.last_seen_at, now })
      return { session: toSession(row), person }
    },
    list: (personId, now) => list.all({ personId, now }).map(toSession),
    end: id => end.run({ id }).changes === 1,
    endAll: personId => endAll.run({ personId }).changes,
  }
}
