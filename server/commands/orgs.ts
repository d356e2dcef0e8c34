import { Command } from 'commander'
import { escapeControls } from '../base/escape-controls.ts'
import { OperatorError } from '../base/operator-error.ts'
import { addSettings, type FlagsOf, type Settings } from '../flags/setting.ts'
import { type BundlesFlags, bundlesSettings, type StoreFlags, storeSettings } from '../flags/shared-settings.ts'
import type { OrganizationSize } from '../store/organization-removal.ts'
import { recordChange } from '../store/record-change.ts'
import { addOrganization } from '../store/recorded-inserts.ts'
import { forgetSite, siteCachesFolder } from '../store/site-cache/site-caches.ts'
import type { Store } from '../store/store.ts'
import { getOrganization } from '../tenancy/get-organization.ts'
import { createId } from '../tenancy/id.ts'
import { describeSameName, readName } from '../tenancy/name.ts'
import type { Organization } from '../tenancy/organization.ts'
import { askToConfirm, count } from './confirm-deletion.ts'
import { printNote, printResult, printRows } from './print.ts'
import { withBundles } from './with-bundles.ts'
import { withExistingStore, withStore } from './with-store.ts'

const createSettings = {
  plan: {
    flag: '--plan <plan>',
    env: 'QUIRE_PLAN',
    what: 'plan; static export needs enterprise',
    choices: ['standard', 'enterprise'],
    default: 'standard',
  },
  ...storeSettings,
} as const satisfies Settings

export function orgsCommand(): Command {
  const orgs = new Command('orgs').description('organizations, which own projects and API keys').addHelpText(
    'after',
    `
Examples:
  npx quire orgs create "Acme" --plan enterprise
  npx quire orgs set-plan "Acme" standard
  npx quire orgs rename "Acme" "Acme Europe"
  npx quire orgs list --json
  npx quire orgs delete "Acme Europe" --yes`,
  )
  addSettings(
    orgs.command('create <name>').description('create an organization and print its id'),
    createSettings,
  ).action(async (name: string, flags: FlagsOf<typeof createSettings>) => {
    const organization = { id: createId('org'), name: readName(name), plan: flags.plan, createdAt: Date.now() }
    const others = await withStore(flags, async store => {
      await addOrganization(store, organization)
      return store.organizations.list()
    })
    printNote(describeSameName(others, organization, 'organization'))
    printResult(flags.json, organization, organization.id)
  })
  addSettings(orgs.command('list').description('list the organizations'), storeSettings).action(
    async (flags: StoreFlags) => {
      const rows = await withExistingStore(flags, store => store.organizations.list())
      printRows(rows, { json: flags.json, empty: 'No organization yet. Create one with: npx quire orgs create NAME' })
    },
  )
  addSettings(
    orgs
      .command('set-plan <id-or-name> <plan>')
      .description('change the plan of an organization: standard or enterprise'),
    storeSettings,
  ).action(setPlan)
  addSettings(
    orgs.command('rename <id-or-name> <new-name>').description('change the name of an organization; its id stays'),
    storeSettings,
  ).action(rename)
  orgs.addCommand(orgsDeleteCommand().copyInheritedSettings(orgs))
  return orgs
}

async function setPlan(idOrName: string, plan: string, flags: StoreFlags): Promise<void> {
  if (plan !== 'standard' && plan !== 'enterprise') {
    throw new OperatorError('The plan must be standard or enterprise.', 2)
  }
  const organization = await withExistingStore(flags, async store => {
    const organization = await getOrganization(store, idOrName)
    const { id } = organization
    await recordChange(
      store,
      { action: 'organization.changed', subject: id, organizationId: id, detail: `plan ${plan}` },
      nouns => nouns.organizations.updatePlan(id, plan),
    )
    return { ...organization, plan }
  })
  printResult(
    flags.json,
    organization,
    `${escapeControls(organization.name)} (${organization.id}) has the plan ${plan}.`,
  )
}

async function rename(idOrName: string, newName: string, flags: StoreFlags): Promise<void> {
  const name = readName(newName)
  const { organization, others } = await withExistingStore(flags, async store => {
    const organization = await getOrganization(store, idOrName)
    const { id } = organization
    await recordChange(
      store,
      { action: 'organization.changed', subject: id, organizationId: id, detail: `name ${name}` },
      nouns => nouns.organizations.updateName(id, name),
    )
    return { organization: { ...organization, name }, others: await store.organizations.list() }
  })
  printNote(describeSameName(others, organization, 'organization'))
  printResult(flags.json, organization, `${organization.id} has the name ${escapeControls(name)}.`)
}

interface Flags extends BundlesFlags {
  yes?: boolean
}

/** `orgs delete` */
function orgsDeleteCommand(): Command {
  return addSettings(
    new Command('delete')
      .argument('<id-or-name>')
      .description('delete an organization with its projects, visits, sites, keys, people, jobs, exports and bundles')
      .option('--yes', 'confirm the deletion; it cannot be undone'),
    bundlesSettings,
  ).action(async (idOrName: string, flags: Flags) => {
    const deleted = await withExistingStore(flags, store => deleteOrganization(store, idOrName, flags))
    printResult(
      flags.json,
      { ...deleted, deleted: true },
      `${escapeControls(deleted.name)} (${deleted.id}) is deleted.`,
    )
  })
}

async function deleteOrganization(store: Store, idOrName: string, flags: Flags): Promise<Organization> {
  const organization = await getOrganization(store, idOrName)
  const { id } = organization
  if (!flags.yes) throw askToConfirm(organization, describeSize(await store.organizationRemoval.count(id)))
  const files = await store.organizationRemoval.begin(id, Date.now())
  if ('running' in files) {
    throw new OperatorError(
      `${escapeControls(organization.name)} has running exports: ${files.running.join(', ')}. Nothing was deleted. Wait until they have ended, or stop the server.`,
    )
  }
  await withBundles(flags, async bundles => {
    for (const fileName of files.bundles) await bundles.remove(fileName)
  })
  for (const domain of files.domains) await forgetSite(siteCachesFolder(flags.data), domain)
  const deleteVisits = async () => {
    for (const projectId of files.projects) await store.visits.deleteFile(projectId)
  }
  await deleteVisits()
  await recordChange(
    store,
    { action: 'organization.deleted', subject: id, organizationId: id, detail: organization.name },
    ({ organizationRemoval }) => organizationRemoval.finish(id),
  )
  // A process that follows a log may have counted a line before its project was deleted.
  await deleteVisits()
  return organization
}

function describeSize({ projects, sites, keys, people, agentJobs, exports }: OrganizationSize): string[] {
  return [
    count(projects, 'project with its visits', 'projects with their visits'),
    count(sites, 'site', 'sites'),
    count(keys, 'valid key', 'valid keys'),
    count(people, 'person who may sign in', 'people who may sign in'),
    count(agentJobs, 'agent job', 'agent jobs'),
    count(
      exports,
      'export with its bundle, whose links stop working',
      'exports with their bundles, whose links stop working',
    ),
  ]
}
