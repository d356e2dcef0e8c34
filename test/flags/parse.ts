import { Command } from 'commander'
import { addSettings, type FlagsOf, readBooleanVariables, type Settings } from '../../server/flags/setting.ts'

/** Parses flags and variables as a command with these settings does. */
export function parse<Table extends Settings>(settings: Table, ...args: string[]): FlagsOf<Table> {
  const command = addSettings(new Command().exitOverride().configureOutput({ writeErr: () => {} }), settings)
  readBooleanVariables(command.parse(args, { from: 'user' }))
  return command.opts()
}
