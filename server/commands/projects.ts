import { Command, Option } from 'commander'
import { OperatorError } from '../base/operator-error.ts'
import { dataOption, jsonOption } from '../flags/options.ts'
import { createId } from '../tenancy/id.ts'
import type { SaltRotation } from '../tenancy/project.ts'
import { printJson, printRows } from './print.ts'
import { withStore } from './with-store.ts'

export function projectsCommand(): Command {
  const projects = new Command('projects')
    .description('documentation projects, with their visitors and agent jobs')
    .addHelpText(
      'after',
      `
Examples:
  quire projects create "Handbook" --org org_0f3c9a1b2d4e5f60
  quire projects create "Handbook" --org org_0f3c9a1b2d4e5f60 --salt-rotation month
  quire projects list --org org_0f3c9a1b2d4e5f60`,
    )
  projects
    .command('create <name>')
    .description('create a project and print its id')
    .requiredOption('--org <id>', 'organization that owns the project')
    .addOption(
      new Option(
        '--salt-rotation <period>',
        'how often the key of the visitor hashes changes; a visitor who returns in a later period counts as new',
      )
        .env('QUIRE_SALT_ROTATION')
        .choices(['never', 'month', 'day'])
        .default('never'),
    )
    .addOption(dataOption())
    .addOption(jsonOption())
    .action(async (name: string, flags: { org: string; saltRotation: SaltRotation; data: string; json?: boolean }) => {
      const project = {
        id: createId('prj'),
        organizationId: flags.org,
        name,
        visitorSaltRotation: flags.saltRotation,
        createdAt: Date.now(),
      }
      await withStore(flags.data, async store => {
        if (!(await store.organizations.find(flags.org))) {
          throw new OperatorError(`There is no organization ${flags.org}. See: quire orgs list`)
        }
        await store.projects.insert(project)
      })
      if (flags.json) printJson(project)
      else console.log(project.id)
    })
  projects
    .command('list')
    .description('list the projects')
    .option('--org <id>', 'only projects of this organization')
    .addOption(dataOption())
    .addOption(jsonOption())
    .action(async (flags: { org?: string; data: string; json?: boolean }) => {
      const rows = await withStore(flags.data, store => store.projects.list(flags.org))
      printRows(rows, {
        json: flags.json,
        empty: 'No project yet. Create one with: quire projects create NAME --org ID',
      })
    })
  return projects
}
