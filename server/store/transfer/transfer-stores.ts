import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { toViewBatch } from '../../analytics/view-batch.ts'
import { OperatorError } from '../../base/operator-error.ts'
import { keys } from '../data-folder.ts'
import { connect } from '../postgres/database.ts'
import { openPostgresStore, type PostgresStore } from '../postgres/store.ts'
import { openStore, type SqliteStore } from '../store.ts'
import { openPostgresSide } from './postgres-side.ts'
import { openSqliteSide } from './sqlite-side.ts'
import { type Transferred, transfer } from './transfer.ts'

export interface TransferOptions {
  /** Absolute. */
  dataFolder: string
  /** The address of the PostgreSQL database. */
  database: string
  /** The name of the machine whose positions in followed logs are copied; undefined = the host name. */
  node?: string | undefined
  onProgress(text: string): void
}

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
      await sqlite.visits.openVisitorKey()
      await postgres.visits.openVisitorKey()
    }
    return copyBetween(options, 'to PostgreSQL')
  })
}

/** Copies a PostgreSQL database to a data folder. */
export async function transferToSqlite(options: TransferOptions): Promise<Transferred> {
  return withStores(options, async (_, postgres) => {
    const projects = (await postgres.projects.list()).map(({ id }) => id)
    for (const id of projects) {
      if (!(await postgres.visits.findVisitedDays(id))) continue
      await postgres.visits.openVisitorKey()
      break
    }
    return copyBetween(options, 'to SQLite')
  })
}

/** Opens both stores, which applies pending migrations, and compares the counts of visits at the end. */
async function withStores(
  { dataFolder, database }: TransferOptions,
  work: (sqlite: SqliteStore, postgres: PostgresStore) => Promise<Transferred>,
): Promise<Transferred> {
  const keyFile = join(dataFolder, 'visitor.key')
  const postgres = await openPostgresStore(database, undefined, { keyFile })
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
