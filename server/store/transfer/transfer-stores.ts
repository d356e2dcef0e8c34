import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { toViewBatch } from '../../analytics/view-batch.ts'
import { OperatorError } from '../../base/operator-error.ts'
import { keys } from '../data-folder.ts'
import { connect, type Database } from '../postgres/database.ts'
import { listPostgresUsers } from '../postgres/inspect.ts'
import { readSpan } from '../postgres/migrate.ts'
import { openPostgresStore, type PostgresStore } from '../postgres/store.ts'
import { listPostgresMigrations } from '../schema-versions.ts'
import { createSecret, openSecret } from '../secret-file.ts'
import { readSharedKeys } from '../shared-keys.ts'
import { openStore, type SqliteStore } from '../store.ts'
import { planUpgrade } from '../upgrade.ts'
import { openPostgresSide } from './postgres-side.ts'
import { openSqliteSide } from './sqlite-side.ts'
import { type Transferred, transfer } from './transfer.ts'

interface TransferOptions {
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
  if (!existsSync(join(dataFolder, 'quire.db')))
    throw new OperatorError(
      `There is no database in ${dataFolder}. Give the server's data folder with --data or QUIRE_DATA.`,
    )
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

/** A database may have been upgraded by a newer version, which knows columns that this one would leave out. */
async function refuseNewer(postgres: Database, dataFolder: string): Promise<void> {
  const { databases } = await planUpgrade(dataFolder)
  const newer = databases.find(({ schema, newest }) => schema > newest)
  const name =
    newer?.path ?? ((await readSpan(postgres)).version > listPostgresMigrations().length ? 'The database' : undefined)
  if (name !== undefined) throw new OperatorError(`${name} was upgraded by a newer Quire. Migrate with that version.`)
}

async function copyBetween(options: TransferOptions, direction: 'to PostgreSQL' | 'to SQLite'): Promise<Transferred> {
  const { dataFolder, database, node = hostname(), onProgress } = options
  const connected = connect(database)
  await refuseNewer(connected, dataFolder)
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
