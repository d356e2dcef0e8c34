import { Command } from 'commander'
import { escapeControls } from '../base/escape-controls.ts'
import { OperatorError } from '../base/operator-error.ts'
import { addSettings, type FlagsOf, type Settings } from '../flags/setting.ts'
import { type StoreFlags, storeSettings } from '../flags/shared-settings.ts'
import { recordChange } from '../store/record-change.ts'
import { addOrganization } from '../store/recorded-inserts.ts'
import { getOrganization } from '../tenancy/get-organization.ts'
import { createId } from '../tenancy/id.ts'
import { describeSameName, readName } from '../tenancy/name.ts'
import { orgsDeleteCommand } from './orgs-delete.ts'
import { printNote, printResult, printRows } from './print.ts'
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
  npx quire orgs list --json
  npx quire orgs delete "Acme" --yes`,
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
