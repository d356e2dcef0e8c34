import { Command, InvalidArgumentError } from 'commander'
import { parseAddressRange } from '../base/address-range.ts'
import { dayMs } from '../base/day-ms.ts'
import { OperatorError } from '../base/operator-error.ts'
import { addSettings, type FlagsOf, integer, type Settings } from '../flags/setting.ts'
import { type StoreFlags, shared, storeSettings } from '../flags/shared-settings.ts'
import { recordChange, toCommandEvent } from '../store/record-change.ts'
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
  org: { flag: '--org <id-or-name>', what: 'organization the key belongs to (default: the only one)' },
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

const rotateSettings = {
  overlapDays: {
    flag: '--overlap-days <number>',
    env: 'QUIRE_OVERLAP_DAYS',
    what: 'how long the old key still works, unless it expires earlier',
    default: 7,
    read: integer(1, 365),
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
  npx quire keys create "deploy" --org Demo --scopes read --expires-in-days never
  npx quire keys create "cdn" --org Demo --scopes ingest --allow-from 203.0.113.0/24 --allow-from 2001:db8::/32
  npx quire keys create "docs.example.com" --org Demo --scopes count --project Documentation --expires-in-days never
  npx quire keys list --org Demo
  npx quire keys rotate "deploy" --overlap-days 14
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
    keys.command('rotate <id-or-name>').description('create a key like another one, which still works for some days'),
    rotateSettings,
  ).action(rotate)
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
  printSecret(key, secret)
}

function printSecret(key: ApiKey, secret: string): void {
  console.log(secret)
  const expiry = key.expiresAt === null ? 'It never expires.' : `It expires on ${showDay(key.expiresAt)}.`
  console.error(`This is ${key.id}. ${expiry} The key is shown only once: keep it in a safe place.`)
}

/** Creates a key with the name, scopes, bounds and lifetime of another one. */
async function rotate(idOrName: string, flags: FlagsOf<typeof rotateSettings>): Promise<void> {
  const now = Date.now()
  const { key, secret, old } = await withExistingStore(flags, async store => {
    const old = await getValid(store, idOrName)
    if (findKeyState(old, now) === 'expired')
      throw new OperatorError(`${old.id} has expired. Create a new key with: npx quire keys create`)
    const { organizationId, name, scopes, projectIds, allowedAddresses } = old
    const expiresAt = old.expiresAt === null ? null : now + old.expiresAt - old.createdAt
    const wish = { organizationId, name, scopes, projectIds, allowedAddresses, createdAt: now, expiresAt }
    const { key, secret } = issueKey(flags.keyPrefix, wish)
    const endsAt = Math.min(old.expiresAt ?? Number.POSITIVE_INFINITY, now + flags.overlapDays * dayMs)
    const event = { action: 'key.rotated' as const, ...describeKey(old) }
    await recordChange(store, event, function* ({ apiKeys, auditLog }) {
      yield* apiKeys.expire(old.id, endsAt)
      yield* apiKeys.insert(key, hashKey(secret))
      yield* auditLog.append(toCommandEvent({ action: 'key.created', ...describeKey(key) }))
    })
    return { key, secret, old: { id: old.id, expiresAt: endsAt } }
  })
  if (flags.json) return printJson({ ...key, key: secret, replaced: old })
  printSecret(key, secret)
  console.error(`The old key, ${old.id}, works until ${showDay(old.expiresAt)}.`)
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
    const key = await getValid(store, idOrName)
    await recordChange(store, { action: 'key.revoked', ...describeKey(key) }, ({ apiKeys }) =>
      apiKeys.revoke(key.id, Date.now()),
    )
    return key.id
  })
  printResult(flags.json, { id, revoked: true }, `${id} is revoked.`)
}

async function getValid({ apiKeys }: Store, idOrName: string): Promise<ApiKey> {
  return getByName(findValid(await apiKeys.list()), idOrName, { noun: 'valid key', list: 'keys list' })
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
