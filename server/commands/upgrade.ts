import { resolve } from 'node:path'
import { Command, Option } from 'commander'
import { describeBytes } from '../base/format-bytes.ts'
import { OperatorError } from '../base/operator-error.ts'
import { addSettings } from '../flags/setting.ts'
import { type StoreFlags, storeSettings } from '../flags/shared-settings.ts'
import { findFolderUsers } from '../store/folder-users.ts'
import { type DatabasePlan, planUpgrade, type UpgradePlan, upgradeDatabases } from '../store/upgrade.ts'
import { explainDisk } from './explain-disk.ts'
import { printJson, showCountOf } from './print.ts'
import { refuseDatabase } from './with-store.ts'

interface Flags extends StoreFlags {
  check?: boolean
}

export function upgradeCommand(): Command {
  return addSettings(
    new Command('upgrade')
      .description('upgrade the databases of a data folder, or say what would change')
      .addOption(new Option('--check', 'change nothing; exit with 1 if the upgrade cannot succeed')),
    storeSettings,
  )
    .addHelpText(
      'after',
      `
Examples:
  npx quire upgrade --check --data /var/lib/quire
  npx quire upgrade --data /var/lib/quire

Stop the server first. Every command upgrades a database when it opens it; this one upgrades all of them at once. Each
database is upgraded completely or not at all. A copy of it as it was stays beside it, such as quire.db.schema-9. The
server deletes copies after 7 days.`,
    )
    .action(async ({ check, json, ...flags }: Flags) => {
      refuseDatabase(
        flags,
        'upgrade',
        'A server or a command upgrades the PostgreSQL database when it opens it. Dump it with pg_dump before.',
      )
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

function describeDatabase({ path, schema, newest, migrations, sizeBytes }: DatabasePlan, done: boolean): string {
  if (done) return `${path} was upgraded from schema ${schema} to ${newest}. The copy is ${path}.schema-${schema}.`
  return `${path} (${describeBytes(sizeBytes)}): schema ${schema} becomes ${newest}, by ${migrations.join(', ')}.`
}
