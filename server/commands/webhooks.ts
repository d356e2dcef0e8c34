import { Command } from 'commander'
import type { Awaitable } from '../base/awaitable.ts'
import { OperatorError } from '../base/operator-error.ts'
import { addSettings, type FlagsOf, integer, type Settings } from '../flags/setting.ts'
import { type StoreFlags, shared, storeSettings, webhookSettings } from '../flags/shared-settings.ts'
import { recordChange } from '../store/record-change.ts'
import type { Store } from '../store/store.ts'
import { openSecretBox } from '../store/webhook-keys.ts'
import { getOrganization } from '../tenancy/get-organization.ts'
import { issueSecret, issueWebhook } from '../webhooks/issue-webhook.ts'
import { type Delivery, secretOverlapMs, type Webhook, webhookEvents } from '../webhooks/webhook.ts'
import { findOrganizationId } from './find-organization.ts'
import { printJson, printResult, printRows } from './print.ts'
import { withExistingStore } from './with-store.ts'

const createSettings = {
  org: { flag: '--org <id-or-name>', what: 'organization whose events are sent (default: the only one)' },
  events: {
    flag: '--events <list>',
    what: `events to send, separated by commas: ${webhookEvents.join(', ')}`,
    default: webhookEvents,
    shownDefault: 'all',
    read: (text: string): readonly string[] => text.split(',').map(name => name.trim()),
  },
  webhookAllowPrivate: shared.webhookAllowPrivate,
  ...webhookSettings,
} as const satisfies Settings

const deliveriesSettings = {
  status: {
    flag: '--status <status>',
    what: 'only deliveries with this status',
    choices: ['pending', 'delivered', 'failed'],
  },
  limit: { flag: '--limit <number>', what: 'how many to list', default: 50, read: integer(1, 1000) },
  before: {
    flag: '--before <number>',
    what: 'only deliveries with a smaller number, to go on where a list ended',
    read: integer(1, Number.MAX_SAFE_INTEGER),
  },
  ...storeSettings,
} as const satisfies Settings

const help = `
Examples:
  npx quire webhooks create https://hooks.example.com/quire --org Demo
  npx quire webhooks create https://hooks.example.com/quire --org Demo --events export.completed,export.failed
  npx quire webhooks list --org Demo
  npx quire webhooks test wh_0f3c9a1b2d4e5f60
  npx quire webhooks deliveries wh_0f3c9a1b2d4e5f60 --status failed
  npx quire webhooks rotate wh_0f3c9a1b2d4e5f60
  npx quire webhooks enable wh_0f3c9a1b2d4e5f60
  npx quire webhooks delete wh_0f3c9a1b2d4e5f60

A running server sends the events; test asks it to send one. A secret is shown once, when it is made. After rotate, the old secret
signs too for 24 hours.`

export function webhooksCommand(): Command {
  const webhooks = new Command('webhooks')
    .description('addresses to which a server sends events of an organization')
    .addHelpText('after', help)
  addSettings(
    webhooks.command('create <url>').description('create a webhook and print its secret'),
    createSettings,
  ).action(create)
  addSettings(
    webhooks
      .command('list')
      .description('list the webhooks, without their secrets')
      .option('--org <id-or-name>', 'only webhooks of this organization'),
    storeSettings,
  ).action(list)
  addSettings(
    webhooks.command('delete <id>').description('delete a webhook and its deliveries; nothing more is sent'),
    storeSettings,
  ).action(deleteWebhook)
  addSettings(
    webhooks.command('rotate <id>').description('make a new secret and print it; the old one signs too for 24 hours'),
    webhookSettings,
  ).action(rotate)
  addSettings(
    webhooks.command('enable <id>').description('enable a webhook that was disabled because its receiver answered 410'),
    storeSettings,
  ).action(enable)
  addSettings(webhooks.command('test <id>').description('send the event webhook.test'), storeSettings).action(test)
  addSettings(
    webhooks.command('deliveries <id>').description('list what was sent and what waits, newest first'),
    deliveriesSettings,
  ).action(listDeliveries)
  return webhooks
}

async function create(url: string, flags: FlagsOf<typeof createSettings>): Promise<void> {
  const secrets = openSecretBox(flags.data, flags.webhookKeyFile)
  const { webhook, secret } = await withExistingStore(flags, async store => {
    const given = {
      organizationId: (await getOrganization(store, flags.org)).id,
      url,
      events: flags.events,
      createdAt: Date.now(),
    }
    const { webhook, secret, sealedSecret } = issueWebhook(given, { secrets, allowed: flags.webhookAllowPrivate })
    await recordChange(store, { action: 'webhook.created', ...describe(webhook) }, ({ webhooks }) =>
      webhooks.insert(webhook, sealedSecret),
    )
    return { webhook, secret }
  })
  printSecret(flags, { ...webhook, secret })
}

async function list(flags: StoreFlags & { org?: string }): Promise<void> {
  const rows = await withExistingStore(flags, async store =>
    store.webhooks.list(await findOrganizationId(store, flags)),
  )
  printRows(rows, {
    json: flags.json,
    empty: 'There are no webhooks yet. Create one with: npx quire webhooks create URL --org ID',
    toRow: ({ id, organizationId, url, events, disabledAt }) => ({
      id,
      organization: organizationId,
      url,
      events,
      state: disabledAt === null ? 'enabled' : 'disabled',
    }),
  })
}

async function deleteWebhook(id: string, flags: StoreFlags): Promise<void> {
  await change(id, flags, (store, webhook) =>
    recordChange(store, { action: 'webhook.deleted', ...describe(webhook) }, ({ webhooks }) => webhooks.delete(id)),
  )
  printResult(flags.json, { id, deleted: true }, `${id} is deleted.`)
}

async function rotate(id: string, flags: StoreFlags): Promise<void> {
  const { secret, sealedSecret } = issueSecret(id, openSecretBox(flags.data, flags.webhookKeyFile))
  const oldSecretEndsAt = Date.now() + secretOverlapMs
  await change(id, flags, (store, webhook) =>
    recordChange(store, { action: 'webhook.changed', ...describe(webhook, 'new secret') }, ({ webhooks }) =>
      webhooks.rotateSecret(id, sealedSecret, oldSecretEndsAt),
    ),
  )
  printSecret(flags, { id, secret, oldSecretEndsAt })
}

async function enable(id: string, flags: StoreFlags): Promise<void> {
  await change(id, flags, (store, webhook) =>
    recordChange(store, { action: 'webhook.changed', ...describe(webhook, 'enabled') }, ({ webhooks }) =>
      webhooks.enable(id),
    ),
  )
  printResult(flags.json, { id, disabledAt: null }, `${id} is enabled.`)
}

async function test(id: string, flags: StoreFlags): Promise<void> {
  const delivery = await change(id, flags, store => store.webhookDeliveries.enqueueTest(id, Date.now()))
  if (!delivery) throw new OperatorError(`${id} is disabled. Enable it first with: npx quire webhooks enable ${id}`)
  const sentence = `A running server sends ${delivery.id} now. See what came of it: npx quire webhooks deliveries ${id}`
  printResult(flags.json, delivery, sentence)
}

async function listDeliveries(id: string, flags: FlagsOf<typeof deliveriesSettings>): Promise<void> {
  const { status, before, limit } = flags
  const rows = await change(id, flags, store => store.webhookDeliveries.list(id, { status, before, limit }))
  printRows(rows, { json: flags.json, empty: 'No deliveries found.', toRow })
}

function toRow({ number, type, status, attempts, lastAttemptAt, nextAttemptAt, error, ...row }: Delivery): object {
  return { number, id: row.id, type, status, attempts, lastAttemptAt, nextAttemptAt, error }
}

/** @throws {OperatorError} if there is no such webhook. */
function change<T>(id: string, flags: StoreFlags, work: (store: Store, webhook: Webhook) => Awaitable<T>): Promise<T> {
  return withExistingStore(flags, async store => {
    const webhook = await store.webhooks.find(id)
    if (!webhook) throw new OperatorError(`There is no webhook ${id}. See: npx quire webhooks list`)
    return work(store, webhook)
  })
}

function describe({ id, organizationId, url }: Pick<Webhook, 'id' | 'organizationId' | 'url'>, what?: string) {
  // The path may be a secret of the receiver.
  return { subject: id, organizationId, detail: [new URL(url).host, what].filter(Boolean).join(', ') }
}

function printSecret({ json }: StoreFlags, shown: { id: string; secret: string; oldSecretEndsAt?: number }): void {
  if (json) printJson(shown)
  else {
    console.log(shown.secret)
    console.error(`This is the secret of ${shown.id}. It is shown only once: give it to the receiver.`)
  }
}
