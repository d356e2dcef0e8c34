import { Command, Option } from 'commander'
import { OperatorError } from '../base/operator-error.ts'
import { dataOption } from '../flags/options.ts'
import { getProject } from '../tenancy/get-project.ts'
import { withExistingStore } from './with-store.ts'

interface Flags {
  project: string
  yes?: boolean
  data: string
}

export function visitsResetCommand(): Command {
  return (
    new Command('reset')
      .description('delete all visits of a project, for example to import its logs again')
      // No environment variable, so that nobody deletes the visits of a project by accident.
      .addOption(new Option('--project <id>', 'project whose visits are deleted').makeOptionMandatory())
      .option('--yes', 'confirm the deletion; it cannot be undone')
      .addOption(dataOption())
      .addHelpText(
        'after',
        `
Examples:
  quire visits reset --project prj_0f3c9a1b2d4e5f60 --yes
  quire visits import /var/log/nginx/access.log* --project prj_0f3c9a1b2d4e5f60

A visit keeps the class (human, AI) that the lists of agents gave it when it was imported. To apply newer lists to old visits,
reset and import the logs again. First stop every process that follows the project's logs (quire visits follow, or
quire serve --follow-log).`,
      )
      .action(async ({ project: id, yes, data }: Flags) => {
        await withExistingStore(data, async store => {
          await getProject(store, id)
          if (!yes) throw new OperatorError(`This deletes all visits of ${id} for good. Confirm with --yes.`, 2)
          await store.visits.deleteVisits(id)
        })
        console.log(`The visits of ${id} are deleted.`)
      })
  )
}
