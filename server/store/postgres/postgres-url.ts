import { findNearestName } from '../../base/nearest-name.ts'
import { OperatorError } from '../../base/operator-error.ts'

const usage = 'must be like postgres://USER:PASSWORD@HOST:5432/DATABASE'

/** The parameters that the driver honours and Quire does not set itself. */
const known = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'application_name', 'options', 'host', 'port']
const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']

/**
 * Checks the address of a PostgreSQL database. Messages do not repeat the text, because it may have a password.
 *
 * @throws {OperatorError} wrong usage
 */
export function checkPostgresUrl(text: string, flag = '--database'): string {
  const url = URL.parse(text)
  if (url?.protocol !== 'postgres:' && url?.protocol !== 'postgresql:') throw new OperatorError(`${flag} ${usage}.`, 2)
  if (url.pathname.length < 2) throw new OperatorError(`${flag} ${usage}. It names no database.`, 2)
  if (![url.username, url.password, url.pathname].every(isEncoded)) {
    const remedy = 'Write special characters as in an address, such as %25 for a percent sign.'
    throw new OperatorError(`${flag} ${usage}. ${remedy}`, 2)
  }
  for (const [name, value] of url.searchParams) checkParameter(name, value, flag)
  return text
}

/** The driver ignores what it does not know, so a misspelt `sslmode` would give a connection without TLS. */
function checkParameter(name: string, value: string, flag: string): void {
  if (!known.includes(name)) {
    const nearest = findNearestName(name, known)
    // Another text may be a part of a password.
    const shown = /^\w{1,40}$/.test(name) ? ` ${name}` : ''
    const remedy = nearest === undefined ? `Known are ${known.join(', ')}.` : `Did you mean ${nearest}?`
    throw new OperatorError(`${flag} has an unknown parameter${shown}. ${remedy}`, 2)
  }
  if (name === 'sslmode' && !sslModes.includes(value)) {
    throw new OperatorError(`sslmode in ${flag} must be one of ${sslModes.join(', ')}.`, 2)
  }
}

/**
 * Returns the address for the driver. Its versions differ in these modes of TLS, and this one warns that it treats them as verify-full,
 * so it gets that.
 */
export function toDriverUrl(text: string): string {
  return text.replace(/([?&]sslmode=)(prefer|require|verify-ca)(?![^&#])/g, '$1verify-full')
}

/** Returns the parameter of the address that names a file; undefined = none. */
export function findFileParameter(text: string, file: string): string | undefined {
  for (const [name, value] of URL.parse(text)?.searchParams ?? []) {
    if (value === file && /^ssl(rootcert|cert|key)$/.test(name)) return name
  }
  return undefined
}

function isEncoded(text: string): boolean {
  try {
    // The result is used, because a bundler leaves out a call whose result nobody uses.
    return decodeURIComponent(text).isWellFormed()
  } catch {
    return false
  }
}
