import { Command } from 'commander'
import { escapeControls } from '../base/escape-controls.ts'
import { OperatorError } from '../base/operator-error.ts'
import { addressSettings, readAddresses } from '../flags/address-settings.ts'
import { addSettings, type FlagsOf, type Settings } from '../flags/setting.ts'
import { type StoreFlags, storeSettings } from '../flags/shared-settings.ts'
import { toUrl } from '../http/listen.ts'
import { recordChange } from '../store/record-change.ts'
import { getByName } from '../tenancy/get-by-name.ts'
import { readName } from '../tenancy/name.ts'
import { findOrganizationId } from './find-organization.ts'
import { printJson, printResult, printRows } from './print.ts'
import { createSignInLink, linkTerms, operatorName } from './sign-in-link.ts'
import { withExistingStore } from './with-store.ts'

const { host, port, publicUrl } = addressSettings
const linkSettings = {
  org: { flag: '--org <id-or-name>', what: 'organization that the person may see (default: all, as an operator)' },
  name: { flag: '--name <name>', what: `name of the person; required with --org (default: ${operatorName})` },
  host,
  port,
  publicUrl,
  ...storeSettings,
} as const satisfies Settings

type LinkFlags = FlagsOf<typeof linkSettings>

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
  addSettings(dashboard.command('link').description('print a link that signs a person in once'), linkSettings).action(
    printLink,
  )
  addSettings(
    dashboard.command('people').description('list the people, with the number of their sessions'),
    storeSettings,
  ).action(listPeople)
  addSettings(
    dashboard.command('remove <id-or-name>').description('delete a person and end their sessions'),
    storeSettings,
  ).action(removePerson)
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

async function listPeople(flags: StoreFlags): Promise<void> {
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

async function removePerson(idOrName: string, flags: StoreFlags): Promise<void> {
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
