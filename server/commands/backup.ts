import { resolve } from 'node:path'
import { Command, Option } from 'commander'
import { readAsset } from '../assets.ts'
import { describeBytes } from '../base/format-bytes.ts'
import { addSettings, nonEmpty } from '../flags/setting.ts'
import { type BundlesFlags, bundlesSettings } from '../flags/shared-settings.ts'
import { type MadeBackup, makeBackup } from '../store/backup/make-backup.ts'
import { createByteProgress } from './byte-progress.ts'
import { explainDisk } from './explain-disk.ts'
import { printJson, showCountOf } from './print.ts'
import { withStoredBundles } from './with-bundles.ts'
import { refuseDatabase } from './with-store.ts'

interface Flags extends BundlesFlags {
  database?: string
  overwrite?: boolean
}

export function backupCommand(): Command {
  return addSettings(
    new Command('backup')
      .argument('<target>', 'file that ends in .tar or .tar.gz, otherwise a new folder', nonEmpty('a file or a folder'))
      .description('copy the data folder while the server runs')
      .addOption(new Option('--overwrite', 'replace a backup of this name')),
    bundlesSettings,
  )
    .addHelpText(
      'after',
      `
Examples:
  npx quire backup /var/backups/quire.tar
  npx quire backup /var/backups/quire.tar.gz --overwrite --data /var/lib/quire
  npx quire backup /mnt/backups/quire-2026-11-22

The backup has everything that was stored when it began: the databases, the bundles and the keys. It leaves out sites/,
the export cache, because the next export fetches its content again, and work/, the scratch files of running exports.
The server and the commands continue meanwhile. The backup gets its name when it is complete. Keep it private: it
contains the keys. With --bundles, the bundles stay in the storage, and the backup has only their names. For a PostgreSQL
database, use pg_dump.`,
    )
    .action(async (target: string, flags: Flags) => {
      const { overwrite, data, json } = flags
      refuseDatabase(
        flags,
        'backup',
        'Copy the PostgreSQL database with pg_dump, the bundles with the tools of their storage, and the key files of the nodes.',
      )
      const progress = createByteProgress('Copying')
      const version: string = JSON.parse(readAsset('package.json')).version
      const made = await withStoredBundles(flags, stored =>
        makeBackup({
          dataFolder: resolve(data),
          target,
          overwrite: overwrite ?? false,
          version,
          now: Date.now,
          onProgress: progress.show,
          stored,
        }),
      )
        .catch(error => {
          throw explainDisk(error)
        })
        .finally(progress.clear)
      for (const warning of made.warnings) console.error(warning)
      if (json) printJson(made)
      else console.log(describe(made))
    })
}

function describe({ path, files, databases, sizeBytes, bundlesElsewhere }: MadeBackup): string {
  const size = `${path}: ${describeBytes(sizeBytes)}, ${showCountOf(files, 'file')}, including ${showCountOf(databases, 'database')}.`
  if (bundlesElsewhere === null) return size
  const { place, bundles } = bundlesElsewhere
  return `${size}\nNot in it: ${showCountOf(bundles, 'bundle')} in ${place}. The backup has only their names.`
}
