import { Command, Option } from 'commander'
import { escapeControls } from '../base/escape-controls.ts'
import { OperatorError } from '../base/operator-error.ts'
import { type AddressFlags, addressOptions, readAddresses } from '../flags/address-options.ts'
import { databaseOption, dataOption, jsonOption } from '../flags/options.ts'
import { toUrl } from '../http/listen.ts'
import { recordChange } from '../store/record-change.ts'
import { getByName } from '../tenancy/get-by-name.ts'
import { readName } from '../tenancy/name.ts'
import { findOrganizationId } from './find-organization.ts'
import { printJson, printResult, printRows } from './print.ts'
import { createSignInLink, linkTerms, operatorName } from './sign-in-link.ts'
import { type StoreFlags, withExistingStore } from './with-store.ts'

interface PeopleFlags extends StoreFlags {
  json?: boolean
}

interface LinkFlags extends PeopleFlags, AddressFlags {
  org?: string
  name?: string
}

const help = `
Examples:
  npx quire dashboard link
  npx quire dashboard link --org Demo --name "Ada"
  npx quire dashboard link --name "Grace" --public-url https://api.example.com
  npx quire dashboard people
  npx quire dashboard remove "Ada"

A link signs one browser in. It ${linkTerms}. Without --org it is for an operator, who sees all organizations. The same name in
the same organization is the same person.`

export function dashboardCommand(): Command {
  const dashboard = new Command('dashboard')
    .description('people who may sign in to the dashboard')
    .addHelpText('after', help)
  const link = dashboard
    .command('link')
    .description('print a link that signs a person in once')
    .option('--org <id-or-name>', 'organization that the person may see (default: all, as an operator)')
    .addOption(new Option('--name <name>', `name of the person; required with --org (default: ${operatorName})`))
  for (const option of addressOptions()) {
    if (['--host', '--port', '--public-url'].includes(option.long ?? '')) link.addOption(option)
  }
  link.addOption(dataOption()).addOption(databaseOption()).addOption(jsonOption()).action(printLink)
  dashboard
    .command('people')
    .description('list the people, with the number of their sessions')
    .addOption(dataOption())
    .addOption(databaseOption())
    .addOption(jsonOption())
    .action(listPeople)
  dashboard
    .command('remove <id-or-name>')
    .description('delete a person and end their sessions')
    .addOption(dataOption())
    .addOption(databaseOption())
    .addOption(jsonOption())
    .action(removePerson)
  return dashboard
}

async function printLink(flags: LinkFlags): Promise<void> {
  if (flags.org !== undefined && flags.name === undefined) {
    throw new OperatorError('--org needs the name of the person. Give it with --name.', 2)
  }
  const name = readName(flags.name ?? operatorName)
  const baseUrl = findBaseUrl(flags)
  const { url, expiresAt, person } = await withExistingStore(flags, async store => {
    const organizationId = (await findOrganizationId(store, flags)) ?? null
    return createSignInLink(store, { organizationId, name, baseUrl })
  })
  if (flags.json) return printJson({ url, expiresAt, person })
  console.log(url)
  const sees = person.organizationId === null ? 'an operator, who sees all organizations' : person.organizationId
  console.error(`The link ${linkTerms}. It is for ${escapeControls(name)} (${person.id}): ${sees}.`)
  if (flags.publicUrl === undefined) {
    console.error('If browsers reach the server at another address, give it with --public-url, or --port.')
  }
}

/** Returns the address of the server, which is not asked: it need not run yet. */
function findBaseUrl(flags: LinkFlags): string {
  const { publicUrl, host, port } = readAddresses(flags)
  if (publicUrl !== undefined) return publicUrl
  if (port !== 0) return toUrl(host, port)
  throw new OperatorError('--port 0 means any free port. Give the port of the server, or its --public-url.', 2)
}

async function listPeople(flags: PeopleFlags): Promise<void> {
  const now = Date.now()
  const rows = await withExistingStore(flags, async store => {
    const names = new Map((await store.organizations.list()).map(({ id, name }) => [id, name]))
    const people = (await store.people.list()).map(async person => {
      const sessions = await store.sessions.list(person.id, now)
      const lastSeenAt = sessions.length === 0 ? null : Math.max(...sessions.map(session => session.lastSeenAt))
      const organization = person.organizationId === null ? 'all' : (names.get(person.organizationId) ?? '')
      return { ...person, organization, sessions: sessions.length, lastSeenAt }
    })
    return Promise.all(people)
  })
  printRows(rows, {
    json: flags.json,
    empty: 'Nobody may sign in yet. For a link: npx quire dashboard link',
    toRow: ({ id, name, organization, sessions, lastSeenAt }) => ({ id, name, organization, sessions, lastSeenAt }),
  })
}

async function removePerson(idOrName: string, flags: PeopleFlags): Promise<void> {
  const { id, name } = await withExistingStore(flags, async store => {
    const person = getByName(await store.people.list(), idOrName, { noun: 'person', list: 'dashboard people' })
    const { id, organizationId, name } = person
    await recordChange(store, { action: 'person.removed', subject: id, organizationId, detail: name }, ({ people }) =>
      people.delete(id),
    )
    return person
  })
  printResult(flags.json, { id, name, removed: true }, `${escapeControls(name)} (${id}) is removed and signed out.`)
}
