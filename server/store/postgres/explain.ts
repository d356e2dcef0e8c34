import { OperatorError } from '../../base/operator-error.ts'
import { UnavailableError } from '../../base/unavailable-error.ts'
import { DamagedError } from './failures.ts'
import { findFileParameter } from './postgres-url.ts'

const trust = 'Add sslrootcert=FILE with the certificate of the authority to the address.'
const untrusted = `its certificate is not from a known authority. ${trust}`

const remedies: Record<string, string> = {
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  DEPTH_ZERO_SELF_SIGNED_CERT: `its certificate is self-signed. Add sslrootcert=FILE with this certificate to the address.`,
  CERT_HAS_EXPIRED: 'its certificate has expired. Renew it on the server.',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet. Check the clocks of both machines.',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'its certificate is for another host. Use a name of the certificate in the address, or renew the certificate with this one.',
  ENOTFOUND: 'there is no host of this name. Correct the address.',
  '28P01': 'the user or the password is wrong.',
  '28000':
    'the server refuses this user, or a connection without TLS. Check the user and pg_hba.conf, or add sslmode=verify-full to the address.',
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
  [
    /^The server does not support SSL connections/,
    'it has no TLS, which sslmode in the address or PGSSLMODE asks for. Turn it on there (ssl = on), or use sslmode=disable in a network that you trust.',
  ],
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
  const unreadable = explainFile(url, error)
  if (unreadable !== undefined) return new OperatorError(`Cannot use ${place}: ${unreadable}`, 1, { cause: error })
  if (!(error instanceof UnavailableError)) return error
  return new OperatorError(`Cannot use ${place}: it cannot be reached (${error.code}).`, 1, { cause: error })
}

/** Names the file of the address that cannot be read, or that has no certificate or key. */
function explainFile(url: string, error: unknown): string | undefined {
  const { code, path, syscall } = error as NodeJS.ErrnoException
  if (String(code).startsWith('ERR_OSSL_')) {
    return `a file of sslrootcert, sslcert or sslkey is not a certificate or key in PEM (${code}), or they do not belong together.`
  }
  if (syscall !== 'open' && syscall !== 'read') return undefined
  const name = path === undefined ? 'sslrootcert, sslcert or sslkey' : findFileParameter(url, path)
  return name && `the file of ${name} cannot be read (${code}). Correct its path or its rights.`
}

/** Names a database without the password. */
function describeUrl(text: string): string {
  const url = URL.parse(text)
  if (!url) return 'the database'
  return `the database ${url.pathname.slice(1)} at ${url.searchParams.get('host') || url.host || 'this machine'}`
}
