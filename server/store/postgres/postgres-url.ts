import { OperatorError } from '../../base/operator-error.ts'

const usage = 'must be like postgres://USER:PASSWORD@HOST:5432/DATABASE'

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
