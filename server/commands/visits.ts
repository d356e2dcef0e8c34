import { Command } from 'commander'
import { visitsExplainCommand } from './visits-explain.ts'
import { visitsImportCommand } from './visits-import.ts'

export function visitsCommand(): Command {
  const visits = new Command('visits').description('visitors of the documentation, human and AI')
  for (const command of [visitsImportCommand(), visitsExplainCommand()])
    visits.addCommand(command.copyInheritedSettings(visits))
  return visits
}
