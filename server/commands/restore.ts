import { Command, Option } from 'commander'
import { describeBytes } from '../base/format-bytes.ts'
import { addSettings, nonEmpty } from '../flags/setting.ts'
import { type StoreFlags, storeSettings } from '../flags/shared-settings.ts'
import { checkBackup } from '../store/backup/check-backup.ts'
import { restoreBackup } from '../store/backup/restore-backup.ts'
import { createByteProgress } from './byte-progress.ts'
import { explainDisk } from './explain-disk.ts'
import { printJson, showCountOf } from './print.ts'
import { refuseDatabase } from './with-store.ts'

export function restoreCommand(): Command {
  return addSettings(
    new Command('restore')
      .argument('<backup>', 'file or folder that npx quire backup made', nonEmpty('a file or a folder'))
      .description('put a backup into an empty data folder')
      .addOption(new Option('--check', 'only check the backup as for a restore; restore nothing')),
    storeSettings,
  )
    .addHelpText(
      'after',
      `
Examples:
  npx quire restore /var/backups/quire.tar
  npx quire restore /mnt/backups/quire-2026-11-22 --data /var/lib/quire
  npx quire restore /var/backups/quire.tar --check

The data folder must be missing or empty, and no server may use it. Each file is compared with the manifest of the
backup, and each database is checked, before any file is put in place. --check does the same in a scratch folder beside the
backup, which needs as much room as the data, and does not touch the data folder. A key that was revoked after the backup works
again: revoke it again. Sessions and sign-in links of the dashboard do not work again. Bundles in S3-compatible storage
are not in a backup; the command says where they are, and npx quire doctor says which are missing.`,
    )
    .action(async (source: string, { json, check, ...flags }: StoreFlags & { check?: boolean }) => {
      if (check) return checkOnly(source, json ?? false)
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
      if (bundlesElsewhere)
        console.log(`${describeElsewhere(bundlesElsewhere)} Start the server with --bundles and this address.`)
      if (endedSessions === 0) return
      console.log(
        `Deleted ${showCountOf(endedSessions, 'session or sign-in link')} of the dashboard. For a new link: npx quire dashboard link`,
      )
    })
}

async function checkOnly(source: string, json: boolean): Promise<void> {
  const progress = createByteProgress('Checking')
  const checked = await checkBackup({ source, onProgress: progress.show })
    .catch(error => {
      throw explainDisk(error)
    })
    .finally(progress.clear)
  for (const warning of checked.warnings) console.error(warning)
  if (json) return printJson(checked)
  const { path, createdAt, quire, files, sizeBytes, bundlesElsewhere } = checked
  console.log(
    `${path} is sound: ${describeBytes(sizeBytes)}, ${showCountOf(files, 'file')}, of ${createdAt} by Quire ${quire}.`,
  )
  if (bundlesElsewhere) console.log(describeElsewhere(bundlesElsewhere))
}

function describeElsewhere({ place, bundles }: { place: string; bundles: number }): string {
  return `Not in the backup: ${showCountOf(bundles, 'bundle')} in ${place}.`
}
