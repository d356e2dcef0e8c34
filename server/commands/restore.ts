import { Command } from 'commander'
import { describeBytes } from '../base/format-bytes.ts'
import { addSettings, nonEmpty } from '../flags/setting.ts'
import { type StoreFlags, storeSettings } from '../flags/shared-settings.ts'
import { restoreBackup } from '../store/backup/restore-backup.ts'
import { createByteProgress } from './byte-progress.ts'
import { explainDisk } from './explain-disk.ts'
import { printJson, showCountOf } from './print.ts'
import { refuseDatabase } from './with-store.ts'

export function restoreCommand(): Command {
  return addSettings(
    new Command('restore')
      .argument('<backup>', 'file or folder that npx quire backup made', nonEmpty('a file or a folder'))
      .description('put a backup into an empty data folder'),
    storeSettings,
  )
    .addHelpText(
      'after',
      `
Examples:
  npx quire restore /var/backups/quire.tar
  npx quire restore /mnt/backups/quire-2026-11-22 --data /var/lib/quire

The data folder must be missing or empty, and no server may use it. Each file is compared with the manifest of the
backup, and each database is checked, before any file is put in place. A key that was revoked after the backup works
again: revoke it again. Sessions and sign-in links of the dashboard do not work again. Bundles in S3-compatible storage
are not in a backup; the command says where they are, and npx quire doctor says which are missing.`,
    )
    .action(async (source: string, { json, ...flags }: StoreFlags) => {
      refuseDatabase(flags, 'restore', 'Restore the dump of the PostgreSQL database with pg_restore or psql.')
      const progress = createByteProgress('Restoring')
      const restored = await restoreBackup({ source, dataFolder: flags.data, onProgress: progress.show })
        .catch(error => {
          throw explainDisk(error)
        })
        .finally(progress.clear)
      for (const warning of restored.warnings) console.error(warning)
      if (json) return printJson(restored)
      const { dataFolder, createdAt, quire, files, sizeBytes, bundlesElsewhere, endedSessions } = restored
      console.log(
        `${dataFolder}: ${describeBytes(sizeBytes)}, ${showCountOf(files, 'file')}, from the backup of ${createdAt} by Quire ${quire}.`,
      )
      if (bundlesElsewhere) {
        const { place, bundles } = bundlesElsewhere
        console.log(
          `Not in the backup: ${showCountOf(bundles, 'bundle')} in ${place}. Start the server with --bundles and this address.`,
        )
      }
      if (endedSessions === 0) return
      console.log(
        `Deleted ${showCountOf(endedSessions, 'session or sign-in link')} of the dashboard. For a new link: npx quire dashboard link`,
      )
    })
}
