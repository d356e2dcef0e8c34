import Database from 'better-sqlite3'

/** Tables of which each row lets someone into the dashboard. */
const tables = ['sessions', 'sign_in_links'] as const

/**
 * Deletes the sessions and sign-in links from a main database of any schema version that no process uses. Returns how many
 * there were.
 */
export function endSessions(file: string): number {
  const database = new Database(file, { fileMustExist: true })
  try {
    database.pragma('trusted_schema = OFF')
    const hasTable = database.prepare<[string], number>('SELECT 1 FROM sqlite_schema WHERE name = ?').pluck()
    const known = tables.filter(table => hasTable.get(table) !== undefined)
    const end = database.transaction(() =>
      known.reduce((count, table) => count + database.prepare(`DELETE FROM ${table}`).run().changes, 0),
    )
    return end()
  } finally {
    database.close()
  }
}
