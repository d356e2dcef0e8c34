import { Command, InvalidArgumentError, Option } from 'commander'
import { OperatorError } from '../base/operator-error.ts'
import { integer } from '../flags/integer.ts'
import { dataOption, jsonOption } from '../flags/options.ts'
import { createKey, hashKey, type Scope } from '../tenancy/api-key.ts'
import { createId } from '../tenancy/id.ts'
import { printJson, printRows } from './print.ts'
import { withStore } from './with-store.ts'

const dayMs = 24 * 60 * 60 * 1000

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
    .description('create a key and print it, this once')
    .requiredOption('--org <id>', 'organization it belongs to')
    .addOption(
      new Option('--scopes <list>', 'read, write or both')
        .env('QUIRE_SCOPES')
        .default(['read', 'write'], 'read,write')
        .argParser(readScopes),
    )
    .addOption(
      new Option('--expires-in-days <number>', 'lifetime (default: no end)')
        .env('QUIRE_EXPIRES_IN_DAYS')
        .argParser(integer(1, 36500)),
    )
    .addOption(
      new Option('--key-prefix <text>', 'prefix of API keys, as the server has it')
        .env('QUIRE_KEY_PREFIX')
        .default('quire_'),
    )
    .addOption(dataOption())
    .addOption(jsonOption())
    .action(
      async (
        name: string,
        flags: {
          org: string
          scopes: Scope[]
          expiresInDays?: number
          keyPrefix: string
          data: string
          json?: boolean
        },
      ) => {
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
        console.error(`This is ${key.id}. The key is shown this once: keep it in a safe place.`)
      },
    )
  keys
    .command('list')
    .description('list the keys, without their secrets')
    .option('--org <id>', 'only of this organization')
    .addOption(dataOption())
    .addOption(jsonOption())
    .action(async (flags: { org?: string; data: string; json?: boolean }) => {
      const rows = await withStore(flags.data, store => store.apiKeys.list(flags.org))
      printRows(rows, { json: flags.json, empty: 'No key yet. Create one with: quire keys create NAME --org ID' })
    })
  keys
    .command('revoke <id>')
    .description('revoke a key, from the next request on')
    .addOption(dataOption())
    .action(async (id: string, flags: { data: string }) => {
      const revoked = await withStore(flags.data, store => store.apiKeys.revoke(id, Date.now()))
      if (!revoked) throw new OperatorError(`There is no live key ${id}. See: quire keys list`)
      console.log(`${id} is revoked.`)
    })
  return keys
}

function readScopes(text: string): Scope[] {
  const scopes = [...new Set(text.split(','))].sort()
  if (!scopes.every(scope => scope === 'read' || scope === 'write')) {
    throw new InvalidArgumentError('It must be read, write or read,write.')
  }
  return scopes
}
