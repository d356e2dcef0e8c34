import { Command, Option } from 'commander'
import { OperatorError } from '../base/operator-error.ts'
import { dataOption, jsonOption } from '../flags/options.ts'
import { createId } from '../tenancy/id.ts'
import type { Plan } from '../tenancy/organization.ts'
import { printJson, printRows } from './print.ts'
import { withStore } from './with-store.ts'

const planOption = () =>
  new Option('--plan <plan>', 'plan; static export needs enterprise').choices(['standard', 'enterprise'])

export function orgsCommand(): Command {
  const orgs = new Command('orgs').description('organizations, which own projects and API keys').addHelpText(
    'after',
    `
Examples:
  quire orgs create "Acme" --plan enterprise
  quire orgs set-plan org_0f3c9a1b2d4e5f60 standard
  quire orgs list --json`,
  )
  orgs
    .command('create <name>')
    .description('create an organization and print its id')
    .addOption(planOption().env('QUIRE_PLAN').default('standard'))
    .addOption(dataOption())
    .addOption(jsonOption())
    .action(async (name: string, flags: { plan: Plan; data: string; json?: boolean }) => {
      const organization = { id: createId('org'), name, plan: flags.plan, createdAt: Date.now() }
      await withStore(flags.data, store => store.organizations.insert(organization))
      if (flags.json) printJson(organization)
      else console.log(organization.id)
    })
  orgs
    .command('list')
    .description('list the organizations')
    .addOption(dataOption())
    .addOption(jsonOption())
    .action(async (flags: { data: string; json?: boolean }) => {
      const rows = await withStore(flags.data, store => store.organizations.list())
      printRows(rows, { json: flags.json, empty: 'No organization yet. Create one with: quire orgs create NAME' })
    })
  orgs
    .command('set-plan <id> <plan>')
    .description('change the plan of an organization: standard or enterprise')
    .addOption(dataOption())
    .action(async (id: string, plan: string, flags: { data: string }) => {
      if (plan !== 'standard' && plan !== 'enterprise')
        throw new OperatorError('The plan must be standard or enterprise.', 2)
      const updated = await withStore(flags.data, store => store.organizations.updatePlan(id, plan))
      if (!updated) throw new OperatorError(`There is no organization ${id}. See: quire orgs list`)
      console.log(`${id} has the plan ${plan}.`)
    })
  return orgs
}
