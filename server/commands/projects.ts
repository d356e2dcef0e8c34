import { Command } from 'commander'
import { escapeControls } from '../base/escape-controls.ts'
import { addSettings, type FlagsOf, type Settings } from '../flags/setting.ts'
import { type StoreFlags, storeSettings } from '../flags/shared-settings.ts'
import type { ProjectSize } from '../store/project-removal.ts'
import { recordChange } from '../store/record-change.ts'
import { addProject } from '../store/recorded-inserts.ts'
import { forgetSite, siteCachesFolder } from '../store/site-cache/site-caches.ts'
import { getOrganization } from '../tenancy/get-organization.ts'
import { getProject } from '../tenancy/get-project.ts'
import { createId } from '../tenancy/id.ts'
import { describeSameName, readName } from '../tenancy/name.ts'
import { newVisitorRules } from '../tenancy/project.ts'
import { askToConfirm, count } from './confirm-deletion.ts'
import { findOrganizationId } from './find-organization.ts'
import { printNote, printResult, printRows } from './print.ts'
import { projectsSetCommand } from './projects-set.ts'
import { withExistingStore } from './with-store.ts'

const createSettings = {
  org: { flag: '--org <id-or-name>', what: 'organization that owns the project (default: the only one)' },
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
  npx quire projects set Handbook --ai assistants
  npx quire projects rename Handbook "The Handbook"
  npx quire projects delete Support --yes`,
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
  addChanges(projects)
  return projects
}

function addChanges(projects: Command): void {
  addSettings(
    projects.command('rename <id-or-name> <new-name>').description('change the name of a project; its id stays'),
    storeSettings,
  ).action(rename)
  addSettings(
    projects
      .command('delete <id-or-name>')
      .description('delete a project with its visits, sites and agent jobs; finished exports stay')
      .option('--yes', 'confirm the deletion; it cannot be undone'),
    storeSettings,
  ).action(deleteProject)
}

async function rename(idOrName: string, newName: string, flags: StoreFlags): Promise<void> {
  const name = readName(newName)
  const { project, others } = await withExistingStore(flags, async store => {
    const project = await getProject(store, idOrName)
    const { id, organizationId } = project
    await recordChange(
      store,
      { action: 'project.changed', subject: id, organizationId, detail: `name ${name}` },
      nouns => nouns.projects.updateName(id, name),
    )
    return { project: { ...project, name }, others: await store.projects.list() }
  })
  printNote(describeSameName(others, project, 'project'))
  printResult(flags.json, project, `${project.id} has the name ${escapeControls(name)}.`)
}

async function deleteProject(idOrName: string, flags: StoreFlags & { yes?: boolean }): Promise<void> {
  const project = await withExistingStore(flags, async store => {
    const project = await getProject(store, idOrName)
    const { id, organizationId, name } = project
    if (!flags.yes) throw askToConfirm(project, describeSize(await store.projectRemoval.count(id)))
    const sites = (await store.sites.list(organizationId)).filter(({ projectId }) => projectId === id)
    // The rows come last, so that a killed deletion can be repeated.
    for (const { domain } of sites) await forgetSite(siteCachesFolder(flags.data), domain)
    await store.visits.deleteFile(id)
    await recordChange(
      store,
      { action: 'project.deleted', subject: id, organizationId, detail: name },
      ({ projectRemoval }) => projectRemoval.finish(id, Date.now()),
    )
    // A process that follows a log may have counted a line before its project was deleted.
    await store.visits.deleteFile(id)
    return project
  })
  const { id, name } = project
  printResult(flags.json, { ...project, deleted: true }, `${escapeControls(name)} (${id}) is deleted.`)
}

function describeSize({ sites, agentJobs, keys }: ProjectSize): string[] {
  return [
    'its visits',
    count(sites, 'site', 'sites'),
    count(agentJobs, 'agent job', 'agent jobs'),
    count(keys, 'key that works only with it', 'keys that work only with it'),
  ]
}
