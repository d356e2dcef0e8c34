import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { toViewBatch } from '../../analytics/view-batch.ts'
import { divide } from '../../base/divide.ts'
import { OperatorError } from '../../base/operator-error.ts'
import { keys } from '../data-folder.ts'
import { type Database, openDatabase } from '../database.ts'
import { connect } from '../postgres/database.ts'
import { listPostgresUsers } from '../postgres/inspect.ts'
import { openPostgresStore, type PostgresStore } from '../postgres/store.ts'
import { schemaFolders } from '../schema-versions.ts'
import { createSecret, openSecret } from '../secret-file.ts'
import { readSharedKeys } from '../shared-keys.ts'
import { openStore, type SqliteStore } from '../store.ts'
import { openPostgresSide } from './postgres-side.ts'
import type { Side, Tables, VisitTables } from './sides.ts'
import { type ColumnType, nounTables, type Row, rowsAtATime, type TransferTable, type VisitState } from './tables.ts'
import { type Transferred, transfer } from './transfer.ts'

export interface TransferOptions {
  /** Absolute. */
  dataFolder: string
  /** The address of the PostgreSQL database. */
  database: string
  /** A file with the visitor key, as in `PostgresOptions`; undefined = visitor.key in the data folder. */
  visitorKeyFile?: string | undefined
  /** The name of the machine whose positions in followed logs are copied; undefined = the host name. */
  node?: string | undefined
  onProgress(text: string): void
}

const secondLookMs = 1000
const keyFlag = '--visitor-key-file'
const toKeyFile = (dataFolder: string) => join(dataFolder, 'visitor.key')

/** Copies the databases of a data folder to a PostgreSQL database. */
export async function transferToPostgres(options: TransferOptions): Promise<Transferred> {
  const { dataFolder } = options
  if (!existsSync(join(dataFolder, 'quire.db'))) throw new OperatorError(`There is no database in ${dataFolder}.`)
  return withStores(options, async (sqlite, postgres) => {
    const projects = (await sqlite.projects.list()).map(({ id }) => id)
    const visited = []
    for (const id of projects) {
      if (!(await sqlite.visits.findVisitedDays(id))) continue
      visited.push(id)
      // Moves the visitors that an earlier version of Quire stored in another way.
      await sqlite.visits.recordBatch(id, toViewBatch([]))
    }
    if (visited.length > 0) {
      if (options.visitorKeyFile === undefined || existsSync(toKeyFile(dataFolder)))
        await sqlite.visits.openVisitorKey()
      await postgres.visits.openVisitorKey()
    }
    return copyBetween(options, 'to PostgreSQL')
  })
}

/** Copies a PostgreSQL database to a data folder, and with visits also a given visitor key. */
export async function transferToSqlite(options: TransferOptions): Promise<Transferred> {
  const users = await findUsers(options.database)
  if (users.length > 0) {
    options.onProgress(
      `Other programs of Quire are connected to the database, from ${users.join(', ')}. What a server changes from now on is not ` +
        'copied: if one still runs, stop it, and migrate to a new folder.',
    )
  }
  return withStores(options, async (_, postgres) => {
    const projects = (await postgres.projects.list()).map(({ id }) => id)
    for (const id of projects) {
      if (!(await postgres.visits.findVisitedDays(id))) continue
      const key = await postgres.visits.openVisitorKey()
      if (options.visitorKeyFile !== undefined) createSecret(toKeyFile(options.dataFolder), key)
      break
    }
    return copyBetween(options, 'to SQLite')
  })
}

/** Looks twice, because the server knows a connection for a moment longer than the program that closed it. */
async function findUsers(database: string): Promise<string[]> {
  if ((await listPostgresUsers(database)).length === 0) return []
  await setTimeout(secondLookMs)
  return listPostgresUsers(database)
}

/** Opens both stores, which applies pending migrations, and compares the counts of visits at the end. */
async function withStores(
  { dataFolder, database, visitorKeyFile }: TransferOptions,
  work: (sqlite: SqliteStore, postgres: PostgresStore) => Promise<Transferred>,
): Promise<Transferred> {
  const keyFile = toKeyFile(dataFolder)
  if (visitorKeyFile !== undefined) refuseOtherKey(visitorKeyFile, keyFile)
  const postgres = await openPostgresStore(database, undefined, {
    keyFile: visitorKeyFile ?? keyFile,
    isKeyGiven: visitorKeyFile !== undefined,
  })
  try {
    // The operator has put the keys into the new folder.
    const sqlite = openStore(dataFolder, { given: keys })
    try {
      const done = await work(sqlite, postgres)
      for (const { projectId } of done.projects) {
        const [want] = sqlite.visits.countTotals(projectId, [{}])
        const [got] = await postgres.visits.countTotals(projectId, [{}])
        if (JSON.stringify(want) !== JSON.stringify(got)) throw new Error(`The visits of ${projectId} differ.`)
      }
      return done
    } finally {
      sqlite.close()
    }
  } finally {
    await postgres.close()
  }
}

/** SQLite counts with the key in the data folder, so it must be the given one. */
function refuseOtherKey(given: string, keyFile: string): void {
  const [key] = readSharedKeys(keyFlag, given)
  if (!existsSync(keyFile) || openSecret(keyFile).equals(key)) return
  throw new OperatorError(
    `${keyFlag} ${given} is another key than ${keyFile}. Give the key that visitors were counted with, and remove the other one ` +
      'from the data folder.',
  )
}

async function copyBetween(options: TransferOptions, direction: 'to PostgreSQL' | 'to SQLite'): Promise<Transferred> {
  const { dataFolder, database, node = hostname(), onProgress } = options
  const connected = connect(database)
  const sqlite = openSqliteSide(dataFolder)
  const postgres = openPostgresSide(connected, 'the PostgreSQL database', node)
  try {
    return await (direction === 'to PostgreSQL'
      ? transfer(sqlite, postgres, onProgress)
      : transfer(postgres, sqlite, onProgress))
  } finally {
    sqlite.close()
    await connected.close()
  }
}

const types: Record<string, ColumnType> = { TEXT: 'text', INTEGER: 'bigint', REAL: 'double precision', BLOB: 'bytea' }

/** Opens the SQLite databases of a data folder, which no other process uses. The caller closes it. */
function openSqliteSide(dataFolder: string): Side & { close(): void } {
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
