import Database from 'better-sqlite3'

/** Makes a SQLite database of Quire look as if a newer version wrote it, which no older version can use. */
export function makeNewer(file: string): void {
  const database = new Database(file)
  database.pragma('user_version = 9999')
  database.exec('DROP TABLE IF EXISTS schema_span')
  database.close()
}
