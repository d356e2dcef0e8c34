import { Command } from 'commander'
import { viewScript } from '../analytics/view-script.ts'
import { visitsExplainCommand } from './visits-explain.ts'
import { visitsExportCommand } from './visits-export.ts'
import { visitsFollowCommand } from './visits-follow.ts'
import { visitsImportCommand } from './visits-import.ts'
import { visitsPruneCommand } from './visits-prune.ts'
import { visitsResetCommand } from './visits-reset.ts'
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

function visitsScriptCommand(): Command {
  return new Command('script')
    .description('print the script that counts the pages that readers open, also when a router opens them')
    .addHelpText(
      'after',
      `
Examples:
  npx quire visits script
  npx quire visits script > views.js

Add <script src="/views.js" defer></script> to the pages of the site. For each opened page, the script asks for /_quire/view?page=...;
answer it with 204, which the access log shows and every way to count reads. A host adds the script itself: npx quire host --help`,
    )
    .action(() => {
      process.stdout.write(viewScript)
    })
}
