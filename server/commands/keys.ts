import { Command, InvalidArgumentError } from 'commander'
import { dayMs } from '../base/day-ms.ts'
import { addSettings, type FlagsOf, integer, type Settings } from '../flags/setting.ts'
import { type StoreFlags, shared, storeSettings } from '../flags/shared-settings.ts'
import { recordChange } from '../store/record-change.ts'
import { addKey } from '../store/recorded-inserts.ts'
import { type ApiKey, describeKey, findKeyState, hashKey, issueKey, type Scope } from '../tenancy/api-key.ts'
import { getByName } from '../tenancy/get-by-name.ts'
import { getOrganization } from '../tenancy/get-organization.ts'
import { describeSameName, readName } from '../tenancy/name.ts'
import { findOrganizationId } from './find-organization.ts'
import { printJson, printNote, printResult, printRows } from './print.ts'
import { withExistingStore } from './with-store.ts'

const createSettings = {
  org: { flag: '--org <id-or-name>', what: 'organization the key belongs to', mandatory: true },
  scopes: {
    flag: '--scopes <list>',
    env: 'QUIRE_SCOPES',
    what: 'read, write or both',
    default: ['read', 'write'],
    shownDefault: 'read,write',
    read: readScopes,
  },
  expiresInDays: {
    flag: '--expires-in-days <number>',
    env: 'QUIRE_EXPIRES_IN_DAYS',
    what: 'lifetime of the key (default: unlimited)',
    read: integer(1, 36500),
  },
  keyPrefix: shared.keyPrefix,
  ...storeSettings,
} as const satisfies Settings

export function keysCommand(): Command {
  const keys = new Command('keys').description('admin API keys').addHelpText(
    'after',
    `
Examples:
  npx quire keys create "ci" --org Demo
  npx quire keys create "deploy" --org Demo --scopes read --expires-in-days 90
  npx quire keys list --org Demo
  npx quire keys revoke "ci"

A key is shown once, when it is created. Only its SHA-256 is stored.`,
  )
  addSettings(keys.command('create <name>').description('create a key and print it'), createSettings).action(create)
  addSettings(
    keys
      .command('list')
      .description('list the keys, without their secrets')
      .option('--org <id-or-name>', 'only keys of this organization'),
    storeSettings,
  ).action(list)
  addSettings(
    keys.command('revoke <id-or-name>').description('revoke a key; the next request with it is refused'),
    storeSettings,
  ).action(revoke)
  return keys
}

async function create(name: string, flags: FlagsOf<typeof createSettings>): Promise<void> {
  const now = Date.now()
  const { key, secret, others } = await withExistingStore(flags, async store => {
    const { key, secret } = issueKey(flags.keyPrefix, {
      organizationId: (await getOrganization(store, flags.org)).id,
      name: readName(name),
      scopes: flags.scopes,
      createdAt: now,
      expiresAt: flags.expiresInDays === undefined ? null : now + flags.expiresInDays * dayMs,
    })
    await addKey(store, key, hashKey(secret))
    return { key, secret, others: findValid(await store.apiKeys.list()) }
  })
  printNote(describeSameName(others, key, 'valid key'))
  if (flags.json) return printJson({ ...key, key: secret })
  console.log(secret)
  console.error(`This is ${key.id}. The key is shown only once: keep it in a safe place.`)
}

async function list(flags: StoreFlags & { org?: string }): Promise<void> {
  const { rows, names } = await withExistingStore(flags, async store => ({
    rows: await store.apiKeys.list(await findOrganizationId(store, flags)),
    names: new Map((await store.organizations.list()).map(({ id, name }) => [id, name])),
  }))
  printRows(rows, {
    json: flags.json,
    empty: 'There are no keys yet. Create one with: npx quire keys create NAME --org ID',
    toRow: key => ({
      id: key.id,
      name: key.name,
      organization: names.get(key.organizationId) ?? key.organizationId,
      last4: key.last4,
      scopes: key.scopes,
      state: describeState(key, Date.now()),
      lastUsedAt: key.lastUsedAt,
    }),
  })
}

function describeState(key: ApiKey, now: number): string {
  const state = findKeyState(key, now)
  if (state !== 'active') return state
  return key.expiresAt === null ? 'valid' : `valid until ${new Date(key.expiresAt).toISOString().slice(0, 10)}`
}

async function revoke(idOrName: string, flags: StoreFlags): Promise<void> {
  const id = await withExistingStore(flags, async store => {
    const key = getByName(findValid(await store.apiKeys.list()), idOrName, { noun: 'valid key', list: 'keys list' })
    await recordChange(store, { action: 'key.revoked', ...describeKey(key) }, ({ apiKeys }) =>
      apiKeys.revoke(key.id, Date.now()),
    )
    return key.id
  })
  printResult(flags.json, { id, revoked: true }, `${id} is revoked.`)
}

function findValid(keys: readonly ApiKey[]): ApiKey[] {
  return keys.filter(({ revokedAt }) => revokedAt === null)
}

function readScopes(text: string): Scope[] {
  const scopes = [...new Set(text.split(','))].sort()
  if (!scopes.every(scope => scope === 'read' || scope === 'write')) {
    throw new InvalidArgumentError('It must be read, write or read,write.')
  }
  return scopes
}
