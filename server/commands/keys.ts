import { Command, InvalidArgumentError, Option } from 'commander'
import { integer } from '../flags/integer.ts'
import { databaseOption, dataOption, jsonOption } from '../flags/options.ts'
import { recordChange } from '../store/record-change.ts'
import { addKey } from '../store/recorded-inserts.ts'
import { type ApiKey, createKey, describeKey, hashKey, type Scope } from '../tenancy/api-key.ts'
import { getByName } from '../tenancy/get-by-name.ts'
import { getOrganization } from '../tenancy/get-organization.ts'
import { createId } from '../tenancy/id.ts'
import { describeSameName, readName } from '../tenancy/name.ts'
import { findOrganizationId } from './find-organization.ts'
import { printJson, printNote, printResult, printRows } from './print.ts'
import { type StoreFlags, withExistingStore } from './with-store.ts'

const dayMs = 24 * 60 * 60 * 1000

interface CreateFlags extends StoreFlags {
  org: string
  scopes: Scope[]
  expiresInDays?: number
  keyPrefix: string
  json?: boolean
}

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
  keys
    .command('create <name>')
    .description('create a key and print it')
    .requiredOption('--org <id-or-name>', 'organization the key belongs to')
    .addOption(
      new Option('--scopes <list>', 'read, write or both')
        .env('QUIRE_SCOPES')
        .default(['read', 'write'], 'read,write')
        .argParser(readScopes),
    )
    .addOption(
      new Option('--expires-in-days <number>', 'lifetime of the key (default: unlimited)')
        .env('QUIRE_EXPIRES_IN_DAYS')
        .argParser(integer(1, 36500)),
    )
    .addOption(
      new Option('--key-prefix <text>', 'prefix of API keys; the server must have the same')
        .env('QUIRE_KEY_PREFIX')
        .default('quire_'),
    )
    .addOption(dataOption())
    .addOption(databaseOption())
    .addOption(jsonOption())
    .action(create)
  keys
    .command('list')
    .description('list the keys, without their secrets')
    .option('--org <id-or-name>', 'only keys of this organization')
    .addOption(dataOption())
    .addOption(databaseOption())
    .addOption(jsonOption())
    .action(list)
  keys
    .command('revoke <id-or-name>')
    .description('revoke a key; the next request with it is refused')
    .addOption(dataOption())
    .addOption(databaseOption())
    .addOption(jsonOption())
    .action(revoke)
  return keys
}

async function create(name: string, flags: CreateFlags): Promise<void> {
  const secret = createKey(flags.keyPrefix)
  const now = Date.now()
  const { key, others } = await withExistingStore(flags, async store => {
    const key: ApiKey = {
      id: createId('key'),
      organizationId: (await getOrganization(store, flags.org)).id,
      name: readName(name),
      last4: secret.slice(-4),
      scopes: flags.scopes,
      createdAt: now,
      expiresAt: flags.expiresInDays === undefined ? null : now + flags.expiresInDays * dayMs,
      revokedAt: null,
      lastUsedAt: null,
    }
    await addKey(store, key, hashKey(secret))
    return { key, others: findValid(await store.apiKeys.list()) }
  })
  printNote(describeSameName(others, key, 'valid key'))
  if (flags.json) return printJson({ ...key, key: secret })
  console.log(secret)
  console.error(`This is ${key.id}. The key is shown only once: keep it in a safe place.`)
}

async function list(flags: StoreFlags & { org?: string; json?: boolean }): Promise<void> {
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

function describeState({ revokedAt, expiresAt }: ApiKey, now: number): string {
  if (revokedAt !== null) return 'revoked'
  if (expiresAt === null) return 'valid'
  return expiresAt <= now ? 'expired' : `valid until ${new Date(expiresAt).toISOString().slice(0, 10)}`
}

async function revoke(idOrName: string, flags: StoreFlags & { json?: boolean }): Promise<void> {
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
