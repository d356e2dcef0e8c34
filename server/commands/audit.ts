import { Command } from 'commander'
import { addSettings, type FlagsOf, integer, type Settings } from '../flags/setting.ts'
import { storeSettings } from '../flags/shared-settings.ts'
import type { Store } from '../store/store.ts'
import { getOrganization } from '../tenancy/get-organization.ts'
import { isId } from '../tenancy/id.ts'
import { printRows } from './print.ts'
import { withExistingStore } from './with-store.ts'

const settings = {
  org: { flag: '--org <id-or-name>', what: 'only events of this organization; also the id of a deleted one' },
  limit: { flag: '--limit <number>', what: 'maximum number of events', default: 50, read: integer(1, 100_000) },
  ...storeSettings,
} as const satisfies Settings

export function auditCommand(): Command {
  const command = new Command('audit').description('list who changed what, when and from where, newest first')
  return addSettings(command, settings)
    .addHelpText(
      'after',
      `
Examples:
  npx quire audit
  npx quire audit --org Demo --limit 10
  npx quire audit --json

It has the changes by commands and in the dashboard, the sign-ins, and the exports and bundle links that API keys asked for.
Events are never changed or deleted.`,
    )
    .action(listEvents)
}

async function listEvents({ org, limit, json, ...flags }: FlagsOf<typeof settings>): Promise<void> {
  const events = await withExistingStore(flags, async store =>
    store.auditLog.list({ organizationId: org === undefined ? undefined : await findAudited(store, org), limit }),
  )
  const rows = events.map(({ at, ...event }) => ({ ...event, at: new Date(at).toISOString() }))
  printRows(rows, {
    json,
    empty: 'No events yet.',
    toRow: ({ at, actor, address, action, subject, detail }) => ({
      'when(UTC)': at.slice(0, 19).replace('T', ' '),
      who: actor,
      from: address,
      action,
      subject,
      detail,
    }),
  })
}

/** The events of a deleted organization stay, but its name is gone. */
async function findAudited(store: Pick<Store, 'organizations'>, idOrName: string): Promise<string> {
  return isId(idOrName) ? idOrName : (await getOrganization(store, idOrName)).id
}
