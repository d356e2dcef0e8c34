import { Command, InvalidArgumentError } from 'commander'
import { parseAddressRange } from '../base/address-range.ts'
import { OperatorError } from '../base/operator-error.ts'
import { addSettings, type FlagsOf, type Settings } from '../flags/setting.ts'
import { type StoreFlags, shared, storeSettings } from '../flags/shared-settings.ts'
import { recordChange } from '../store/record-change.ts'
import { addKey } from '../store/recorded-inserts.ts'
import type { Store } from '../store/store.ts'
import { type ApiKey, describeKey, expiryOf, findKeyState, hashKey, issueKey, type Scope } from '../tenancy/api-key.ts'
import { getByName } from '../tenancy/get-by-name.ts'
import { getOrganization } from '../tenancy/get-organization.ts'
import { describeSameName, readName } from '../tenancy/name.ts'
import { areNarrow, areScopes } from '../tenancy/scope.ts'
import { findOrganizationId } from './find-organization.ts'
import { printJson, printNote, printResult, printRows, showCountOf } from './print.ts'
import { withExistingStore } from './with-store.ts'

const createSettings = {
  org: { flag: '--org <id-or-name>', what: 'organization the key belongs to', mandatory: true },
  scopes: {
    flag: '--scopes <list>',
    env: 'QUIRE_SCOPES',
    what: 'read, or write, which includes it; or ingest alone, which only sends visits and reports agent jobs; or count alone, for the script that counts in the browser',
    default: ['read', 'write'],
    shownDefault: 'read,write',
    read: readScopes,
  },
  project: {
    flag: '--project <id-or-name>',
    what: 'project that an ingest or count key is for; may be repeated (default: all of the organization)',
    read: (text: string, before: string[] = []) => [...before, text],
  },
  allowFrom: {
    flag: '--allow-from <range>',
    what: 'address or CIDR range from which the key may be used; repeat it or separate them by commas (default: all)',
    read: addRanges,
  },
  expiresInDays: shared.expiresInDays,
  keyPrefix: shared.keyPrefix,
  ...storeSettings,
} as const satisfies Settings

export function keysCommand(): Command {
  const keys = new Command('keys').description('admin API keys').addHelpText(
    'after',
    `
Examples:
  npx quire keys create "ci" --org Demo
  npx quire keys create "deploy" --org Demo --scopes read --expires-in-days never
  npx quire keys create "cdn" --org Demo --scopes ingest --allow-from 203.0.113.0/24 --allow-from 2001:db8::/32
  npx quire keys create "docs.example.com" --org Demo --scopes count --project Documentation --expires-in-days never
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
    const { id: organizationId } = await getOrganization(store, flags.org)
    const { key, secret } = issueKey(flags.keyPrefix, {
      organizationId,
      name: readName(name),
      scopes: flags.scopes,
      projectIds: await findProjectIds(store, organizationId, flags),
      allowedAddresses: flags.allowFrom ?? [],
      createdAt: now,
      expiresAt: expiryOf(now, flags.expiresInDays),
    })
    await addKey(store, key, hashKey(secret))
    return { key, secret, others: findValid(await store.apiKeys.list()) }
  })
  printNote(describeSameName(others, key, 'valid key'))
  if (flags.json) return printJson({ ...key, key: secret })
  console.log(secret)
  const expiry = key.expiresAt === null ? 'It never expires.' : `It expires on ${showDay(key.expiresAt)}.`
  console.error(`This is ${key.id}. ${expiry} The key is shown only once: keep it in a safe place.`)
}

async function findProjectIds(
  store: Store,
  organizationId: string,
  { scopes, project: wanted = [] }: FlagsOf<typeof createSettings>,
): Promise<string[]> {
  if (wanted.length === 0) return []
  if (!areNarrow(scopes)) {
    throw new OperatorError(
      '--project needs --scopes ingest or --scopes count. Keys that read or write are for all projects.',
      2,
    )
  }
  const projects = await store.projects.list(organizationId)
  const ids = wanted.map(name => getByName(projects, name, { noun: 'project', list: 'projects list' }).id)
  return [...new Set(ids)]
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
      scopes: describeScopes(key),
      state: describeState(key, Date.now()),
      lastUsedAt: key.lastUsedAt,
    }),
  })
}

function describeScopes({ scopes, projectIds }: ApiKey): string {
  const names = scopes.join(' ')
  return projectIds.length === 0 ? names : `${names} of ${showCountOf(projectIds.length, 'project')}`
}

function describeState(key: ApiKey, now: number): string {
  const state = findKeyState(key, now)
  if (state !== 'active') return state
  const until = key.expiresAt === null ? 'valid' : `valid until ${showDay(key.expiresAt)}`
  return key.allowedAddresses.length === 0 ? until : `${until} from ${key.allowedAddresses.join(', ')}`
}

function showDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
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
  if (!areScopes(scopes))
    throw new InvalidArgumentError('It must be read, write or read,write; or ingest or count alone.')
  return scopes as Scope[]
}

function addRanges(text: string, before: string[] = []): string[] {
  const ranges = text.split(',').map(part => part.trim())
  if (ranges.some(range => !parseAddressRange(range))) {
    throw new InvalidArgumentError('Write addresses or CIDR ranges, such as 203.0.113.7 or 203.0.113.0/24.')
  }
  return [...new Set([...before, ...ranges])]
}
