import { resolve } from 'node:path'
import { Command } from 'commander'
import { hostFolderSettings } from '../flags/host-settings.ts'
import { addSettings, type FlagsOf } from '../flags/setting.ts'
import { describeFolder, type HostState } from '../host/versions/host-folder.ts'
import type { Version } from '../host/versions/version.ts'
import { printJson, printRows } from './print.ts'

export function hostListCommand(): Command {
  return addSettings(new Command('list').description('list the versions of a host, newest first'), hostFolderSettings)
    .addHelpText(
      'after',
      `
Examples:
  npx quire host list
  npx quire host list --data /var/lib/quire-host --json

The state of a version is current, held (it was rolled back) or kept.`,
    )
    .action(async (flags: FlagsOf<typeof hostFolderSettings>) => {
      const folder = describeFolder(resolve(flags.data))
      const state = await folder.readState()
      const rows = (await folder.list()).map(version => describe(version, state))
      if (flags.json) printJson(rows)
      else printRows(rows.map(toRow), { empty: 'No version was unpacked yet.' })
    })
}

function describe({ source, unpackedAt, ...version }: Version, { current, held }: HostState) {
  const state = version.id === current ? 'current' : held.includes(version.id) ? 'held' : 'kept'
  return { ...version, source: source.name, unpackedAt, state }
}

function toRow({ id, label, domain, pages, files, source, unpackedAt, state }: ReturnType<typeof describe>) {
  return { id, version: label, state, domain, pages, files, source, unpackedAt }
}
