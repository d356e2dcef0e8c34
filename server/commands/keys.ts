import { Command, InvalidArgumentError, Option } from 'commander'
import { OperatorError } from '../base/operator-error.ts'
import { integer } from '../flags/integer.ts'
import { dataOption, jsonOption } from '../flags/options.ts'
import { createKey, hashKey, type Scope } from '../tenancy/api-key.ts'
import { createId } from '../tenancy/id.ts'
import { printJson, printRows } from './print.ts'
import { withStore } from './with-store.ts'

const dayMs = 24 * 60 * 60 * 1000

interface CreateFlags {
  org: string
  scopes: Scope[]
  expiresInDays?: number
  keyPrefix: string
  data: string
  json?: boolean
}

export function keysCommand(): Command {
  const keys = new Command('keys').description('admin API keys').addHelpText(
    'after',
    `
Examples:
  quire keys create "ci" --org org_0f3c9a1b2d4e5f60
  quire keys create "deploy" --org org_0f3c9a1b2d4e5f60 --scopes read --expires-in-days 90
  quire keys revoke key_0f3c9a1b2d4e5f60

A key is shown once, when it is created. Only its SHA-256 is stored.`,
  )
  keys
    .command('create <name>')
    .description('create a key and print it')
    .requiredOption('--org <id>', 'organization the key belongs to')
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
    .addOption(jsonOption())
    .action(create)
  keys
    .command('list')
    .description('list the keys, without their secrets')
    .option('--org <id>', 'only keys of this organization')
    .addOption(dataOption())
    .addOption(jsonOption())
    .action(list)
  keys
    .command('revoke <id>')
    .description('revoke a key; the next request with it is refused')
    .addOption(dataOption())
    .action(revoke)
  return keys
}

async function create(name: string, flags: CreateFlags): Promise<void> {
  const secret = createKey(flags.keyPrefix)
  const now = Date.now()
  const key = {
    id: createId('key'),
    organizationId: flags.org,
    name,
    last4: secret.slice(-4),
    scopes: flags.scopes,
    createdAt: now,
    expiresAt: flags.expiresInDays === undefined ? null : now + flags.expiresInDays * dayMs,
    revokedAt: null,
    lastUsedAt: null,
  }
  await withStore(flags.data, async store => {
    if (!(await store.organizations.find(flags.org))) {
      throw new OperatorError(`There is no organization ${flags.org}. See: quire orgs list`)
    }
    await store.apiKeys.insert(key, hashKey(secret))
  })
  if (flags.json) return printJson({ ...key, key: secret })
  console.log(secret)
  console.error(`This is ${key.id}. The key is shown only once: keep it in a safe place.`)
}

async function list(flags: { org?: string; data: string; json?: boolean }): Promise<void> {
  const rows = await withStore(flags.data, store => store.apiKeys.list(flags.org))
  printRows(rows, {
    json: flags.json,
    empty: 'There are no keys yet. Create one with: quire keys create NAME --org ID',
  })
}

async function revoke(id: string, flags: { data: string }): Promise<void> {
  const revoked = await withStore(flags.data, store => store.apiKeys.revoke(id, Date.now()))
  if (!revoked) throw new OperatorError(`There is no valid key ${id}. See: quire keys list`)
  console.log(`${id} is revoked.`)
}

function readScopes(text: string): Scope[] {
  const scopes = [...new Set(text.split(','))].sort()
  if (!scopes.every(scope => scope === 'read' || scope === 'write')) {
    throw new InvalidArgumentError('It must be read, write or read,write.')
  }
  return scopes
}
