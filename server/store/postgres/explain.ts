import { OperatorError } from '../../base/operator-error.ts'
import { UnavailableError } from '../../base/unavailable-error.ts'
import { DamagedError } from './failures.ts'

const remedies: Record<string, string> = {
  ENOTFOUND: 'there is no host of this name. Correct the address.',
  '28P01': 'the user or the password is wrong.',
  '28000': 'the server refuses this user. Check pg_hba.conf.',
  '3D000': 'there is no such database. Create it with: createdb --encoding UTF8 NAME',
  '25006':
    'it is read-only. Give the address of the primary, or check default_transaction_read_only of the role and the database.',
  '3F000': 'its search_path names no schema that exists. Create the schema, or correct options= in the address.',
  '53300':
    'it has no connection left. Raise max_connections, or the limit of the role or the database: see the page "Several servers".',
  '42501': 'the user may not create tables there. Make it the owner of the database.',
  ECONNREFUSED: 'no PostgreSQL answers there. Start it, or correct the address.',
}

/** The driver has no codes for these. */
const messages: readonly (readonly [RegExp, string])[] = [
  [/client password must be a/, 'it wants a password. Set PGPASSWORD, or put the password into QUIRE_DATABASE.'],
]

/** Turns an error of connecting or migrating into one with the remedy. It names the database without the password. */
export function explain(url: string, error: unknown): unknown {
  if (error instanceof DamagedError) return new OperatorError(error.message, 1, { cause: error })
  const place = describeUrl(url)
  if (error instanceof OperatorError) {
    return new OperatorError(`Cannot use ${place}: ${error.message}`, 1, { cause: error })
  }
  const { code, message } = error as { code?: unknown; message?: unknown }
  const remedy = remedies[String(code)] ?? messages.find(([pattern]) => pattern.test(String(message)))?.[1]
  if (remedy !== undefined) return new OperatorError(`Cannot use ${place}: ${remedy}`, 1, { cause: error })
  if (!(error instanceof UnavailableError)) return error
  return new OperatorError(`Cannot use ${place}: it cannot be reached (${error.code}).`, 1, { cause: error })
}

/** Names a database without the password. */
function describeUrl(text: string): string {
  const url = URL.parse(text)
  if (!url) return 'the database'
  return `the database ${url.pathname.slice(1)} at ${url.host || 'this machine'}`
}
