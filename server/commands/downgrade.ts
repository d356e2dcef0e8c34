import { join, resolve } from 'node:path'
import { Command, Option } from 'commander'
import { OperatorError } from '../base/operator-error.ts'
import { addSettings } from '../flags/setting.ts'
import { type StoreFlags, storeSettings } from '../flags/shared-settings.ts'
import { type DatabaseReturn, downgradeDatabases, planDowngrade } from '../store/downgrade.ts'
import { findFolderUsers } from '../store/folder-users.ts'
import { inspectPostgres } from '../store/open-postgres.ts'
import { countPostgresMigrations, type Release, releases } from '../store/releases.ts'
import { canUse } from '../store/schema-span.ts'
import { explainDisk } from './explain-disk.ts'
import { printJson, printResult, showCountOf } from './print.ts'

interface Flags extends StoreFlags {
  to: string
  yes?: boolean
}

export function downgradeCommand(): Command {
  return addSettings(
    new Command('downgrade')
      .description('make the databases usable by an earlier version, and say what that loses')
      .addOption(new Option('--to <version>', 'version to go back to').makeOptionMandatory())
      .addOption(new Option('--yes', 'replace databases with their copies; what was stored since is lost')),
    storeSettings,
  )
    .addHelpText(
      'after',
      `
Examples:
  npx quire downgrade --to ${releases[0]?.version} --data /var/lib/quire
  npx quire downgrade --to ${releases[0]?.version} --data /var/lib/quire --yes

Run the version that is installed now, with the server stopped, and install the earlier version afterwards. Most upgrades leave a
database that the version before can use as it is; then this command only says so. Otherwise the copy that the upgrade kept, such
as quire.db.schema-9, takes the place of the database, and the newer database gets the name of a copy. The server deletes copies
after 7 days. A PostgreSQL database has no copies: if the earlier version cannot use it, restore a dump of before the upgrade.`,
    )
    .action(async ({ to, yes = false, json, ...flags }: Flags) => {
      const release = findRelease(to)
      if (flags.database !== undefined) return checkPostgres(flags.database, release, json)
      const dataFolder = resolve(flags.data)
      // Before the rows are counted that would be lost.
      if (yes) await refuseUsers(dataFolder)
      const databases = await planDowngrade(dataFolder, release)
      const isNeeded = databases.some(({ fate }) => fate !== 'usable')
      const refusal = findRefusal(databases, release) ?? (isNeeded && !yes ? 'Confirm with --yes.' : undefined)
      const done = isNeeded && refusal === undefined
      if (done) downgrade(dataFolder, databases)
      if (json) printJson({ to, databases, downgraded: done, refusal: refusal ?? null })
      else for (const line of databases.flatMap(database => describe(database, release, done))) console.log(line)
      if (done && !json) console.log(`Install ${to} before you start the server.`)
      if (refusal !== undefined) throw new OperatorError(refusal)
    })
}

function findRelease(version: string): Release {
  const release = releases.find(known => known.version === version.replace(/^v/, ''))
  if (release) return release
  const known = releases.map(({ version }) => version).join(', ')
  throw new OperatorError(`--to ${version} is not a version that this one knows. It knows ${known}.`, 2)
}

function findRefusal(databases: readonly DatabaseReturn[], { version }: Release): string | undefined {
  const stuck = databases.find(({ fate }) => fate === 'stuck')
  if (!stuck) return undefined
  return (
    `${stuck.path} has schema ${stuck.schema}, which ${version} cannot use (it knows ${stuck.known}), and there is no copy ` +
    'of it as it was before the upgrade. Restore a backup of that time.'
  )
}

async function refuseUsers(dataFolder: string): Promise<void> {
  const [user] = await findFolderUsers(dataFolder)
  if (user !== undefined) throw new OperatorError(`Process ${user} uses the data folder. Stop it first.`)
}

function downgrade(dataFolder: string, databases: readonly DatabaseReturn[]): void {
  try {
    downgradeDatabases(dataFolder, databases, path => console.error(`Replacing ${join(dataFolder, path)} ...`))
  } catch (error) {
    throw explainDisk(error)
  }
}

function describe({ path, schema, fate, copy, lost }: DatabaseReturn, { version }: Release, done: boolean): string[] {
  if (fate === 'usable') return [`${path} (schema ${schema}) can be used by ${version} as it is.`]
  if (fate === 'stuck') return []
  const newer = `${path}.schema-${schema}`
  if (fate === 'set aside') return [`${path} ${done ? 'was' : 'will be'} renamed to ${newer}: its project is newer.`]
  const what = done ? `was replaced by its copy. The newer database is ${newer}.` : `will be replaced by ${copy}.`
  const rows = lost.map(({ table, rows }) => `${showCountOf(rows, 'row')} of ${table}`).join(', ')
  const loss = rows === '' ? 'Nothing was stored since.' : `${done ? 'Lost' : 'This loses'} what is newer: ${rows}.`
  return [`${path} ${what} ${loss} What was deleted or revoked since ${done ? 'is' : 'comes'} back.`]
}

async function checkPostgres(url: string, release: Release, json: boolean | undefined): Promise<void> {
  const { span } = await inspectPostgres(url)
  const known = countPostgresMigrations(release)
  if (canUse(span, known)) {
    const sentence = `The database (schema ${span.version}) can be used by ${release.version} as it is.`
    printResult(json, { to: release.version, schema: span.version, known, refusal: null }, sentence)
    return
  }
  const refusal = `The database has schema ${span.version}, which ${release.version} cannot use (it knows ${known}). Restore a dump of before the upgrade.`
  if (json) printJson({ to: release.version, schema: span.version, known, refusal })
  throw new OperatorError(refusal)
}
