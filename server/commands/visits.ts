import { Command } from 'commander'
import { visitsImportCommand } from './visits-import.ts'

export function visitsCommand(): Command {
  const visits = new Command('visits').description('visitors of the documentation, human and AI')
  for (const command of [visitsImportCommand()]) visits.addCommand(command.copyInheritedSettings(visits))
  return visits
}
