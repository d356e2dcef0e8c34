import { join } from 'node:path'
import { divide } from '../../base/divide.ts'
import { type Database, openDatabase } from '../database.ts'
import { schemaFolders } from '../schema-versions.ts'
import type { Side, Tables, VisitTables } from './sides.ts'
import { type ColumnType, nounTables, type Row, rowsAtATime, type TransferTable, type VisitState } from './tables.ts'

const types: Record<string, ColumnType> = { TEXT: 'text', INTEGER: 'bigint', REAL: 'double precision', BLOB: 'bytea' }

/** Opens the SQLite databases of a data folder, which no other process uses. The caller closes it. */
export function openSqliteSide(dataFolder: string): Side & { close(): void } {
  const main = openDatabase(join(dataFolder, 'quire.db'))
  const noteVisits = main.prepare<[string]>('UPDATE projects SET has_visits = 1 WHERE id = ?')
  return {
    name: dataFolder,
    listTables: () => nounTables.map(table => ({ ...table, ...listColumns(main, table.name) })),
    withNouns: work => transact(main, () => work(openTables(main))),
    listVisited: () =>
      main.prepare<[], string>('SELECT id FROM projects WHERE has_visits = 1 ORDER BY id').pluck().all(),
    async withVisits(projectId, work) {
      const file = join(dataFolder, 'visits', `${encodeURIComponent(projectId)}.db`)
      const visits = openDatabase(file, schemaFolders.visits)
      try {
        const result = await transact(visits, () => work(openVisitTables(visits)))
        noteVisits.run(projectId)
        return result
      } finally {
        visits.close()
      }
    },
    close: () => void main.close(),
  }
}

function listColumns(database: Database, table: string): Pick<TransferTable, 'columns' | 'types'> {
  const found = database
    .prepare<[string], { name: string; type: string }>('SELECT name, type FROM pragma_table_info(?)')
    .all(table)
  return { columns: found.map(({ name }) => name), types: found.map(({ type }) => types[type] as ColumnType) }
}

/** Unlike the transactions of the store, this one may wait: nobody else uses the database. */
async function transact<T>(database: Database, work: () => Promise<T>): Promise<T> {
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = await work()
    database.exec('COMMIT')
    return result
  } catch (error) {
    database.exec('ROLLBACK')
    throw error
  }
}

function openTables(database: Database): Tables {
  return {
    read: table => readTable(database, table),
    write({ name, columns }, rows) {
      const marks = columns.map(() => '?').join(', ')
      const insert = database.prepare<unknown[]>(`INSERT INTO ${name} (${columns.join(', ')}) VALUES (${marks})`)
      for (const row of rows) insert.run(...row)
    },
    readPositions: () => database.prepare<[], never>('SELECT log, position FROM log_positions ORDER BY log').all(),
    writePositions(positions) {
      const insert = database.prepare<unknown[]>('INSERT INTO log_positions (log, position) VALUES (@log, @position)')
      for (const position of positions) insert.run(position)
    },
  }
}

function* readTable(database: Database, { name, columns, key }: TransferTable): Generator<readonly Row[]> {
  const rows = database
    .prepare<[], Row>(`SELECT ${columns.join(', ')} FROM ${name} ORDER BY ${key.join(', ')}`)
    .raw()
    .iterate()
  yield* divide(rows as Iterable<Row>, rowsAtATime)
}

function openVisitTables(database: Database): VisitTables {
  const pluck = (sql: string) => database.prepare<[], number>(sql).pluck().get()
  return {
    ...openTables(database),
    readState: () => ({
      revision: database.prepare<[], string>('SELECT hex(value) FROM revision').pluck().get() as string,
      keptFrom: pluck('SELECT from_day FROM kept') ?? 0,
      labelledFrom: pluck('SELECT from_day FROM labelled') ?? null,
    }),
    writeState({ revision, keptFrom, labelledFrom }: VisitState) {
      database.prepare<[Uint8Array]>('UPDATE revision SET value = ?').run(Buffer.from(revision, 'hex'))
      database.exec('DELETE FROM kept; DELETE FROM labelled')
      if (keptFrom > 0) database.prepare<[number]>('INSERT INTO kept (id, from_day) VALUES (1, ?)').run(keptFrom)
      if (labelledFrom === null) return
      database.prepare<[number]>('INSERT INTO labelled (id, from_day) VALUES (1, ?)').run(labelledFrom)
    },
  }
}
