import type { LogPosition } from '../../analytics/unique-visitors.ts'
import type { Database } from '../database.ts'

/** The read positions of logs. The main database and the database of each project have such a table. */
export function openLogPositions(database: Database) {
  const find = database.prepare<{ log: string }, string>('SELECT position FROM log_positions WHERE log = @log').pluck()
  const upsert = database.prepare<LogPosition>(
    `INSERT INTO log_positions (log, position) VALUES (@log, @position)
     ON CONFLICT DO UPDATE SET position = excluded.position`,
  )
  return {
    find: (log: string) => find.get({ log }),
    upsert: (position: LogPosition): void => void upsert.run(position),
  }
}
