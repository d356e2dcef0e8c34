import { readFileSync } from 'node:fs'
import { InvalidArgumentError } from 'commander'
import type { DrainSettings } from '../http/drain-checks.ts'
import { describeUnreadable } from './read-given-file.ts'
import { type FlagsOf, integer, type Settings } from './setting.ts'

/** The settings of `serve` for log lines that other programs send. */
export const drainSettings = {
  visitsLimitBytes: {
    flag: '--visits-limit-bytes <number>',
    env: 'QUIRE_VISITS_LIMIT_BYTES',
    what: 'maximum size of a request with access-log lines, as it is sent',
    default: 16 * 1024 * 1024,
    read: integer(1024, 64 * 1024 * 1024),
  },
  visitsHourMb: {
    flag: '--visits-hour-mb <number>',
    env: 'QUIRE_VISITS_HOUR_MB',
    what: 'maximum megabytes of access-log lines that one organization sends in an hour, as they are sent',
    default: 1024,
    read: integer(64, 16_384),
  },
  vercelVerify: {
    flag: '--vercel-verify <code>',
    env: 'QUIRE_VERCEL_VERIFY',
    what: 'code of the header x-vercel-verify that Vercel shows when a drain is made (default: Vercel is not answered)',
    read: readCode,
  },
  vercelSecretFile: {
    flag: '--vercel-secret-file <file>',
    env: 'QUIRE_VERCEL_SECRET_FILE',
    what: 'file with the secrets that Vercel signs drains with, one a line (default: only the API key is checked)',
    read: readSecrets,
  },
  fastlyServices: {
    flag: '--fastly-services <ids>',
    env: 'QUIRE_FASTLY_SERVICES',
    what: 'ids of the Fastly services that may send logs to this host, separated by commas; * = any (default: none)',
    read: readServices,
  },
} as const satisfies Settings

export function readDrains({
  vercelVerify,
  vercelSecretFile = [],
  fastlyServices = [],
}: FlagsOf<typeof drainSettings>): DrainSettings {
  return { vercelVerify, vercelSecrets: vercelSecretFile, fastlyServices }
}

function readCode(text: string): string {
  if (/^[\x21-\x7e]+$/.test(text)) return text
  throw new InvalidArgumentError('It must be the code that Vercel shows, without spaces.')
}

/** Reads the file at once, so that `quire doctor` finds one that cannot be used. */
function readSecrets(file: string): string[] {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new InvalidArgumentError(`The file ${describeUnreadable(error)}`)
  }
  const secrets = text.split(/\s+/).filter(Boolean)
  if (secrets.length > 0) return secrets
  throw new InvalidArgumentError('The file is empty. Write the signature secret of the drain into it.')
}

function readServices(text: string): string[] {
  const ids = text.split(',').map(id => id.trim())
  if (ids.every(id => /^(\*|[A-Za-z0-9]+)$/.test(id))) return ids
  throw new InvalidArgumentError('Write ids of services, such as SU1Z0isxPaozGVKXdv0eY, or *.')
}
