/** The version of SQLite in the package better-sqlite3. Written here, so that no addon is loaded to print it; a test compares the two. */
export const sqliteVersion = '3.54.1'
