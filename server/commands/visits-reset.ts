import { Command, Option } from 'commander'
import { OperatorError } from '../base/operator-error.ts'
import { addSettings } from '../flags/setting.ts'
import { type StoreFlags, storeSettings } from '../flags/shared-settings.ts'
import { getProject } from '../tenancy/get-project.ts'
import { newVisitorRules, usualCounting } from '../tenancy/project.ts'
import { printResult } from './print.ts'
import { withExistingStore } from './with-store.ts'

interface Flags extends StoreFlags {
  project: string
  yes?: boolean
}

export function visitsResetCommand(): Command {
  return addSettings(
    new Command('reset')
      .description('delete all visits of a project, for example to import its logs again')
      // No environment variable, so that nobody deletes the visits of a project by accident.
      .addOption(new Option('--project <id-or-name>', 'project whose visits are deleted').makeOptionMandatory())
      .option('--yes', 'confirm the deletion; it cannot be undone'),
    storeSettings,
  )
    .addHelpText(
      'after',
      `
Examples:
  npx quire visits reset --project Documentation --yes
  npx quire visits import /var/log/nginx/access.log* --project Documentation

A project that is older than the rules for visitors (visitorRules 2 in: npx quire projects list --json) changes to them: an IPv6 visitor
is the first 64 bits of the address, and behind a known proxy a visitor is the address that the proxy sent.

A visit keeps the class (human, AI) that the lists of agents gave it when it was imported. To apply newer lists to old visits,
reset and import the logs again. First stop every process that follows the project's logs (npx quire visits follow, or
npx quire serve --follow-log).`,
    )
    .action(async ({ project: idOrName, yes, json, ...flags }: Flags) => {
      const { id, visitorRules } = await withExistingStore(flags, async store => {
        const project = await getProject(store, idOrName)
        const { id } = project
        if (!yes) throw new OperatorError(`This permanently deletes all visits of ${id}. Confirm with --yes.`, 2)
        await store.visits.deleteVisits(id)
        await store.projects.setVisitorRules(id, newVisitorRules)
        const { counting: { aiSince: _, ...counting } = {} } = project
        if (project.counting) await store.projects.setCounting(id, { ...usualCounting, ...counting })
        return project
      })
      const change =
        visitorRules === newVisitorRules
          ? ''
          : ' From now on, an IPv6 visitor is the first 64 bits of the address, and behind a known proxy a visitor is the address that it sent.'
      printResult(
        json,
        { project: id, deleted: true, visitorRules: newVisitorRules },
        `The visits of ${id} are deleted.${change}`,
      )
    })
}
