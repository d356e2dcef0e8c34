import { resolve } from 'node:path'
import { Command } from 'commander'
import { hostFolderSettings } from '../flags/host-settings.ts'
import { addSettings, type FlagsOf } from '../flags/setting.ts'
import { rollBack } from '../host/rollback.ts'
import { describeFolder } from '../host/versions/host-folder.ts'
import { printResult } from './print.ts'

export function hostRollbackCommand(): Command {
  return addSettings(
    new Command('rollback')
      .description('serve an earlier version again')
      .argument('[version]', 'id or label of a version (default: the one before the current one)'),
    hostFolderSettings,
  )
    .addHelpText(
      'after',
      `
Examples:
  npx quire host rollback
  npx quire host rollback 2.4 --data /var/lib/quire-host --json

A running host switches within a second. The newer versions are held: they are not served again when their bundle is offered
again. To serve one of them, name it.`,
    )
    .action(async (wanted: string | undefined, flags: FlagsOf<typeof hostFolderSettings>) => {
      const { from, to } = await rollBack(describeFolder(resolve(flags.data)), wanted)
      const name = to.label === null ? to.id : `${to.label} (${to.id})`
      printResult(flags.json, { from, to: to.id, label: to.label }, `The version ${name} is the current one.`)
    })
}
