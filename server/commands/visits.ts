import { Command } from 'commander'
import { visitsExplainCommand } from './visits-explain.ts'
import { visitsFollowCommand } from './visits-follow.ts'
import { visitsImportCommand } from './visits-import.ts'
import { visitsPruneCommand } from './visits-prune.ts'
import { visitsResetCommand } from './visits-reset.ts'

export function visitsCommand(): Command {
  const visits = new Command('visits').description('visitors of the documentation, human and AI')
  const commands = [
    visitsImportCommand(),
    visitsFollowCommand(),
    visitsExplainCommand(),
    visitsPruneCommand(),
    visitsResetCommand(),
  ]
  for (const command of commands) visits.addCommand(command.copyInheritedSettings(visits))
  return visits
}
