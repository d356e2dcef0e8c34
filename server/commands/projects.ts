import { Command } from 'commander'
import { addSettings, type FlagsOf, type Settings } from '../flags/setting.ts'
import { type StoreFlags, storeSettings } from '../flags/shared-settings.ts'
import { addProject } from '../store/recorded-inserts.ts'
import { getOrganization } from '../tenancy/get-organization.ts'
import { createId } from '../tenancy/id.ts'
import { describeSameName, readName } from '../tenancy/name.ts'
import { newVisitorRules } from '../tenancy/project.ts'
import { findOrganizationId } from './find-organization.ts'
import { printNote, printResult, printRows } from './print.ts'
import { projectsSetCommand } from './projects-set.ts'
import { withExistingStore } from './with-store.ts'

const createSettings = {
  org: { flag: '--org <id-or-name>', what: 'organization that owns the project', mandatory: true },
  saltRotation: {
    flag: '--salt-rotation <period>',
    env: 'QUIRE_SALT_ROTATION',
    what: 'how often the key of the visitor hashes changes; a visitor who returns in a later period counts as new',
    choices: ['never', 'month', 'day'],
    default: 'never',
  },
  ...storeSettings,
} as const satisfies Settings

export function projectsCommand(): Command {
  const projects = new Command('projects')
    .description('documentation projects, with their visitors and agent jobs')
    .addHelpText(
      'after',
      `
Examples:
  npx quire projects create "Handbook" --org Demo
  npx quire projects create "Support" --org Demo --salt-rotation month
  npx quire projects list --org Demo
  npx quire projects set Handbook --ai assistants`,
    )
  addSettings(
    projects.command('create <name>').description('create a project and print its id'),
    createSettings,
  ).action(async (name: string, flags: FlagsOf<typeof createSettings>) => {
    const { project, others } = await withExistingStore(flags, async store => {
      const project = {
        id: createId('prj'),
        organizationId: (await getOrganization(store, flags.org)).id,
        name: readName(name),
        visitorSaltRotation: flags.saltRotation,
        visitorRules: newVisitorRules,
        createdAt: Date.now(),
      }
      await addProject(store, project)
      return { project, others: await store.projects.list() }
    })
    printNote(describeSameName(others, project, 'project'))
    printResult(flags.json, project, project.id)
  })
  addSettings(
    projects
      .command('list')
      .description('list the projects')
      .option('--org <id-or-name>', 'only projects of this organization'),
    storeSettings,
  ).action(async (flags: StoreFlags & { org?: string }) => {
    const rows = await withExistingStore(flags, async store =>
      store.projects.list(await findOrganizationId(store, flags)),
    )
    printRows(rows, {
      json: flags.json,
      empty: 'No project yet. Create one with: npx quire projects create NAME --org ID',
      toRow: ({ id, name, organizationId, visitorSaltRotation, createdAt }) => ({
        id,
        name,
        organizationId,
        saltRotation: visitorSaltRotation,
        createdAt,
      }),
    })
  })
  projects.addCommand(projectsSetCommand().copyInheritedSettings(projects))
  return projects
}
