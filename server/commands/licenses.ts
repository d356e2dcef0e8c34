import { Command, Option } from 'commander'
import { isBinary, packedAssets, readPackedBytes, shippedFolder } from '../assets.ts'
import { toOption } from '../flags/setting.ts'
import { shared } from '../flags/shared-settings.ts'
import { collectLicenses } from './licenses/collect-licenses.ts'
import type { Component } from './licenses/component.ts'
import { printJson, printRows } from './print.ts'

export function licensesCommand(): Command {
  return new Command('licenses')
    .description('list the licenses of Quire and of everything in it')
    .addOption(new Option('--text', 'print the texts of the licenses'))
    .addOption(toOption(shared.json))
    .addHelpText(
      'after',
      `
Examples:
  npx quire licenses
  npx quire licenses --text > LICENSES.txt
  npx quire licenses --json

The single binary lists what is inside it. Otherwise the list has the installed packages that Quire needs to run. A Chromium
is never part of Quire.`,
    )
    .action(async ({ text, json }: { text?: boolean; json?: boolean }) => {
      const components: Component[] = isBinary
        ? JSON.parse(readPackedBytes(packedAssets.licenses).toString('utf8'))
        : await collectLicenses(shippedFolder)
      if (json) printJson(components)
      else if (text) for (const component of components) console.log(describe(component))
      else printRows(components, { empty: '', toRow: ({ name, version, license }) => ({ name, version, license }) })
    })
}

function describe({ name, version, license, url, text }: Component): string {
  const head = [name, version, `(${license})`].filter(part => part !== null).join(' ')
  const line = '-'.repeat(head.length)
  return [head, line, ...(url === null ? [] : [url]), '', ...(text === '' ? [] : [text, ''])].join('\n')
}
