import { resolve } from 'node:path'
import { Command } from 'commander'
import { OperatorError } from '../base/operator-error.ts'
import { addSettings } from '../flags/setting.ts'
import { nodeSettings, type StoreFlags } from '../flags/shared-settings.ts'
import { findFolderUsers } from '../store/folder-users.ts'
import { loadTransfer } from '../store/open-postgres.ts'
import type { Transferred } from '../store/transfer/transfer.ts'
import { printJson, printRows, showCount, showCountOf } from './print.ts'

const stopNote = `
Stop all servers and commands first. Everything is copied with its ids: organizations, projects, sites, API keys, people, agent
jobs, exports, webhooks, the audit log, and all visits. Each table is compared afterwards. If the command is interrupted, run it again:
what was copied is compared, and not copied again. The source is left as it is.

Bundles, caches and the keys in the data folder (visitor.key, link.key, webhook.key) are files and are not copied. The secrets of
webhooks need webhook.key: put it into the new data folder, or name it with --webhook-key-file. visitor.key must be in the
data folder, because visitors were counted with it, or name its copy with --visitor-key-file; postgres-to-sqlite then puts the key
into the data folder. Positions in followed logs are copied for one machine: name it with --node if the logs are not followed on
this one.`

export function migrateCommand(): Command {
  const migrate = new Command('migrate').description('change between SQLite and PostgreSQL')
  for (const command of [toPostgresCommand(), toSqliteCommand()]) {
    migrate.addCommand(command.copyInheritedSettings(migrate))
  }
  return migrate
}

function toPostgresCommand(): Command {
  return addSettings(
    new Command('sqlite-to-postgres').description('copy the databases of a data folder to a new PostgreSQL database'),
    nodeSettings,
  )
    .addHelpText(
      'after',
      `
Examples:
  createdb --encoding UTF8 quire
  npx quire migrate sqlite-to-postgres --data /var/lib/quire --database postgres://quire@db.example.com/quire
${stopNote}`,
    )
    .action((flags: StoreFlags) =>
      run(flags, async (options, dataFolder) => {
        const [user] = await findFolderUsers(dataFolder)
        if (user !== undefined) throw new OperatorError(`Process ${user} uses the data folder. Stop it first.`)
        return (await loadTransfer()).transferToPostgres(options)
      }),
    )
}

function toSqliteCommand(): Command {
  return addSettings(
    new Command('postgres-to-sqlite').description('copy a PostgreSQL database to a new data folder'),
    nodeSettings,
  )
    .addHelpText(
      'after',
      `
Examples:
  mkdir --mode 700 /var/lib/quire-sqlite
  cp -p /var/lib/quire/visitor.key /var/lib/quire-sqlite/
  npx quire migrate postgres-to-sqlite --data /var/lib/quire-sqlite --database postgres://quire@db.example.com/quire
${stopNote}`,
    )
    .action((flags: StoreFlags) => run(flags, async options => (await loadTransfer()).transferToSqlite(options)))
}

type Options = Parameters<Awaited<ReturnType<typeof loadTransfer>>['transferToSqlite']>[0]

async function run(
  { data, database, visitorKeyFile, node, json }: StoreFlags,
  transfer: (options: Options, dataFolder: string) => Promise<Transferred>,
): Promise<void> {
  if (database === undefined) {
    throw new OperatorError('--database is missing: postgres://USER@HOST/DATABASE. Or set QUIRE_DATABASE.', 2)
  }
  const dataFolder = resolve(data)
  const onProgress = (text: string) => console.error(text)
  const done = await transfer({ dataFolder, database, visitorKeyFile, node, onProgress }, dataFolder)
  if (json) return printJson(done)
  printRows(
    countRows(done).map(([table, rows]) => ({ table, rows: showCount(rows) })),
    { empty: '' },
  )
  console.log(`All tables are equal, and the visits of ${showCountOf(done.projects.length, 'project')}.`)
}

/** The rows of each table, those of visits over all projects. */
function countRows({ tables, projects }: Transferred): [table: string, rows: number][] {
  const sums = new Map(Object.entries(tables))
  for (const { tables } of projects) {
    for (const [table, rows] of Object.entries(tables)) sums.set(table, (sums.get(table) ?? 0) + rows)
  }
  return [...sums]
}
