import { resolve } from 'node:path'
import { Command, Option } from 'commander'
import { describeBytes } from '../base/format-bytes.ts'
import { OperatorError } from '../base/operator-error.ts'
import { addSettings } from '../flags/setting.ts'
import { type StoreFlags, storeSettings } from '../flags/shared-settings.ts'
import { findFolderUsers } from '../store/folder-users.ts'
import { inspectPostgres, openPostgres } from '../store/open-postgres.ts'
import { canUse } from '../store/schema-span.ts'
import { type DatabasePlan, planUpgrade, type UpgradePlan, upgradeDatabases } from '../store/upgrade.ts'
import { explainDisk } from './explain-disk.ts'
import { printJson, printResult, showCountOf } from './print.ts'

interface Flags extends StoreFlags {
  check?: boolean
}

export function upgradeCommand(): Command {
  return addSettings(
    new Command('upgrade')
      .description('upgrade the databases, or say what would change')
      .addOption(new Option('--check', 'change nothing; exit with 1 if the upgrade cannot succeed')),
    storeSettings,
  )
    .addHelpText(
      'after',
      `
Examples:
  npx quire upgrade --check --data /var/lib/quire
  npx quire upgrade --data /var/lib/quire
  npx quire upgrade --check --database postgres://quire@db.example.com/quire

Stop the server of a data folder first. Every command upgrades a database when it opens it; this one upgrades all of them at once.
Each database is upgraded completely or not at all. A copy of it as it was stays beside it, such as quire.db.schema-9. The
server deletes copies after 7 days. To go back: npx quire downgrade. Dump a PostgreSQL database before; its servers may run on
if --check says that they can.`,
    )
    .action(async ({ check, json, ...flags }: Flags) => {
      if (flags.database !== undefined) return upgradePostgres(flags.database, flags, { check, json })
      const dataFolder = resolve(flags.data)
      const plan = await planUpgrade(dataFolder)
      const refusal = findRefusal(plan)
      if (!check && refusal === undefined) {
        await refuseUsers(dataFolder)
        upgrade(dataFolder, plan)
      }
      const done = !check && refusal === undefined
      if (json) printJson({ ...plan, upgraded: done, refusal: refusal ?? null })
      else for (const line of describe(plan, done)) console.log(line)
      if (refusal !== undefined) throw new OperatorError(refusal)
    })
}

/** Returns why the upgrade cannot succeed; undefined if it can. */
function findRefusal({ databases, freeBytes, copyBytes }: UpgradePlan): string | undefined {
  const unusable = databases.find(({ problem }) => problem !== null)
  if (unusable) return `${unusable.path} cannot be upgraded. ${unusable.problem}`
  if (freeBytes >= copyBytes) return undefined
  return `The disk has too little room for the copies: ${describeBytes(freeBytes)} are free, ${describeBytes(copyBytes)} are needed. Free some space.`
}

/** An earlier version that still runs would write in its own way into the upgraded databases. */
async function refuseUsers(dataFolder: string): Promise<void> {
  const [user] = await findFolderUsers(dataFolder)
  if (user !== undefined) throw new OperatorError(`Process ${user} uses the data folder. Stop it first.`)
}

function upgrade(dataFolder: string, plan: UpgradePlan): void {
  try {
    upgradeDatabases(dataFolder, plan, path => console.error(`Upgrading ${path} ...`))
  } catch (error) {
    throw explainDisk(error)
  }
}

function describe({ databases, freeBytes, copyBytes, workBytes }: UpgradePlan, done: boolean): string[] {
  const changing = databases.filter(({ migrations }) => migrations.length > 0)
  const current = databases.length - changing.length
  const lines = changing.map(plan => describeDatabase(plan, done))
  if (current > 0) lines.push(`${showCountOf(current, 'database')} ${current === 1 ? 'needs' : 'need'} no upgrade.`)
  if (changing.length > 0 && !done) {
    lines.push(
      `The copies need ${describeBytes(copyBytes)}, and the upgrade up to ${describeBytes(workBytes)} more for a moment. ` +
        `${describeBytes(freeBytes)} are free.`,
    )
  }
  return lines
}

function describeDatabase(plan: DatabasePlan, done: boolean): string {
  const { path, schema, newest, migrations, isReversible, sizeBytes } = plan
  if (done) return `${path} was upgraded from schema ${schema} to ${newest}. The copy is ${path}.schema-${schema}.`
  return `${path} (${describeBytes(sizeBytes)}): schema ${schema} becomes ${newest}, by ${migrations.join(', ')}. ${sayReversible(isReversible)}`
}

function sayReversible(isReversible: boolean): string {
  return isReversible
    ? 'The version before can still use it afterwards.'
    : 'The version before cannot use it afterwards.'
}

async function upgradePostgres(
  url: string,
  { data }: Pick<StoreFlags, 'data'>,
  { check = false, json = false }: { check?: boolean | undefined; json?: boolean | undefined },
): Promise<void> {
  const { pending, span, spanAfter } = await inspectPostgres(url)
  const isReversible = span.version === 0 || canUse(spanAfter, span.version)
  const done = !check && pending.length > 0
  if (done) await (await openPostgres(url, { dataFolder: resolve(data) })).close()
  const result = { schema: span.version, newest: spanAfter.version, migrations: pending, isReversible, upgraded: done }
  printResult(json, result, describePostgres(result))
}

function describePostgres(result: {
  schema: number
  newest: number
  migrations: readonly string[]
  isReversible: boolean
  upgraded: boolean
}): string {
  const { schema, newest, migrations, isReversible, upgraded } = result
  if (migrations.length === 0) return `The database (schema ${schema}) needs no upgrade.`
  if (upgraded) return `The database was upgraded from schema ${schema} to ${newest}.`
  return `The database: schema ${schema} becomes ${newest}, by ${migrations.join(', ')}. ${sayReversible(isReversible)}`
}
