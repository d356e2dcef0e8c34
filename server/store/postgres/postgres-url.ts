import { OperatorError } from '../../base/operator-error.ts'

const usage = '--database must be like postgres://USER:PASSWORD@HOST:5432/DATABASE'

/**
 * Checks the address of a PostgreSQL database. Messages do not repeat the text, because it may have a password.
 *
 * @throws {OperatorError} wrong usage
 */
export function checkPostgresUrl(text: string): string {
  const url = URL.parse(text)
  if (url?.protocol !== 'postgres:' && url?.protocol !== 'postgresql:') throw new OperatorError(`${usage}.`, 2)
  if (url.pathname.length < 2) throw new OperatorError(`${usage}. It names no database.`, 2)
  if (![url.username, url.password, url.pathname].every(isEncoded)) {
    throw new OperatorError(`${usage}. Write special characters as in an address, such as %25 for a percent sign.`, 2)
  }
  return text
}

function isEncoded(text: string): boolean {
  try {
    // The result is used, because a bundler leaves out a call whose result nobody uses.
    return decodeURIComponent(text).isWellFormed()
  } catch {
    return false
  }
}
