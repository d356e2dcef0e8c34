import { resolve } from 'node:path'
import { Command, Option } from 'commander'
import { readAsset } from '../assets.ts'
import { describeBytes } from '../base/format-bytes.ts'
import { OperatorError } from '../base/operator-error.ts'
import { addSettings, integer, nonEmpty } from '../flags/setting.ts'
import { type BundlesFlags, bundlesSettings } from '../flags/shared-settings.ts'
import { addBackup, type KeptBackup } from '../store/backup/backup-folder.ts'
import { type MadeBackup, makeBackup } from '../store/backup/make-backup.ts'
import { createByteProgress } from './byte-progress.ts'
import { explainDisk } from './explain-disk.ts'
import { printJson, showCountOf } from './print.ts'
import { withStoredBundles } from './with-bundles.ts'
import { refuseDatabase } from './with-store.ts'

interface Flags extends BundlesFlags {
  database?: string
  to?: string
  keep?: number
  overwrite?: boolean
}

export function backupCommand(): Command {
  return addSettings(
    new Command('backup')
      .argument('[target]', 'file that ends in .tar or .tar.gz, otherwise a new folder', nonEmpty('a file or a folder'))
      .description('copy the data folder while the server runs')
      .addOption(new Option('--overwrite', 'replace a backup of this name'))
      .addOption(
        new Option(
          '--to <folder>',
          'make a .tar.gz that is named after the time in this folder, and check it',
        ).argParser(nonEmpty('a folder')),
      )
      .addOption(
        new Option(
          '--keep <number>',
          'with --to: delete the oldest backups of the folder, so that these stay',
        ).argParser(integer(1, 10_000)),
      ),
    bundlesSettings,
  )
    .addHelpText(
      'after',
      `
Examples:
  npx quire backup /var/backups/quire.tar
  npx quire backup /var/backups/quire.tar.gz --overwrite --data /var/lib/quire
  npx quire backup /mnt/backups/quire-2026-11-22
  npx quire backup --to /var/backups --keep 14

The backup has everything that was stored when it began: the databases, the bundles and the keys. It leaves out sites/,
the export cache, because the next export fetches its content again, and work/, the scratch files of running exports.
The server and the commands continue meanwhile. The backup gets its name when it is complete. Keep it private: it
contains the keys. With --bundles, the bundles stay in the storage, and the backup has only their names. For a PostgreSQL
database, use pg_dump.

--to is for a timer or for cron. Each backup is called such as quire-20261128T030000Z.tar.gz and checked as a restore
would (npx quire restore FILE --check), which needs as much room as the data. --keep deletes only files with such names,
and only after the new backup was found sound.`,
    )
    .action(async (target: string | undefined, flags: Flags) => {
      checkFlags(target, flags)
      refuseDatabase(
        flags,
        'backup',
        'Copy the PostgreSQL database with pg_dump, the bundles with the tools of their storage, and the key files of the nodes.',
      )
      const { warnings, ...made } = await (target === undefined ? addToFolder(flags) : makeOne(target, flags)).catch(
        error => {
          throw explainDisk(error)
        },
      )
      for (const warning of warnings) console.error(warning)
      if (flags.json) printJson({ ...made, warnings })
      else console.log(describe({ ...made, warnings }))
    })
}

function checkFlags(target: string | undefined, { to, keep, overwrite }: Flags): void {
  const wrong = (message: string) => new OperatorError(message, 2)
  if ((target === undefined) === (to === undefined))
    throw wrong('Give either a name for the backup, or a folder with --to.')
  if (keep !== undefined && to === undefined)
    throw wrong('--keep belongs to --to: it deletes older backups of that folder.')
  if (overwrite && to !== undefined) throw wrong('--overwrite belongs to a backup with a name, not to --to.')
}

async function makeOne(target: string, flags: Flags): Promise<MadeBackup> {
  const progress = createByteProgress('Copying')
  return withStoredBundles(flags, stored =>
    makeBackup({
      ...listOptions(flags),
      target,
      overwrite: flags.overwrite ?? false,
      isNoted: true,
      onProgress: progress.show,
      stored,
    }),
  ).finally(progress.clear)
}

async function addToFolder(flags: Flags): Promise<KeptBackup> {
  const { to = '', keep = null } = flags
  const copying = createByteProgress('Copying')
  const checking = createByteProgress('Checking')
  return withStoredBundles(flags, stored =>
    addBackup({
      ...listOptions(flags),
      folder: resolve(to),
      keep,
      onProgress: copying.show,
      onCheck: checking.show,
      stored,
    }),
  ).finally(() => {
    copying.clear()
    checking.clear()
  })
}

function listOptions({ data }: Flags) {
  const version: string = JSON.parse(readAsset('package.json')).version
  return { dataFolder: resolve(data), version, now: Date.now }
}

function describe(made: MadeBackup | KeptBackup): string {
  const { path, files, databases, sizeBytes, bundlesElsewhere } = made
  const lines = [
    `${path}: ${describeBytes(sizeBytes)}, ${showCountOf(files, 'file')}, including ${showCountOf(databases, 'database')}.`,
  ]
  if (bundlesElsewhere) {
    const { place, bundles } = bundlesElsewhere
    lines.push(`Not in it: ${showCountOf(bundles, 'bundle')} in ${place}. The backup has only their names.`)
  }
  if ('checked' in made) lines.push('It is sound.', ...made.deleted.map(path => `Deleted ${path}.`))
  return lines.join('\n')
}
