import { Command } from 'commander'
import { visitsExplainCommand } from './visits-explain.ts'
import { visitsExportCommand } from './visits-export.ts'
import { visitsFollowCommand } from './visits-follow.ts'
import { visitsImportCommand } from './visits-import.ts'
import { visitsPruneCommand } from './visits-prune.ts'
import { visitsResetCommand } from './visits-reset.ts'
import { visitsScriptCommand } from './visits-script.ts'
import { visitsShowCommand } from './visits-show.ts'

export function visitsCommand(): Command {
  const visits = new Command('visits').description('visitors of the documentation, human and AI')
  const commands = [
    visitsImportCommand(),
    visitsFollowCommand(),
    visitsShowCommand(),
    visitsExportCommand(),
    visitsExplainCommand(),
    visitsScriptCommand(),
    visitsPruneCommand(),
    visitsResetCommand(),
  ]
  for (const command of commands) visits.addCommand(command.copyInheritedSettings(visits))
  return visits
}
