import type { Awaitable } from '../../base/awaitable.ts'
import { OperatorError } from '../../base/operator-error.ts'
import { checkLoginTimes, type RecordedLogin } from '../../web/login/recorded-login.ts'
import { ExportError } from '../model/export-error.ts'
import type { ExportLimits } from '../model/limits.ts'

export interface LoginDeps {
  /** Finds and decrypts the recorded login of a site; null = it has none. */
  openLogin(domain: string): Awaitable<RecordedLogin | null>
  limits: ExportLimits
  now(): number
}

/**
 * Opens the recorded login for a job; null = the site has none.
 *
 * @param warn is told what of it ends soon.
 * @throws {ExportError} if it cannot be decrypted or has expired.
 */
export async function openJobLogin(
  { openLogin, limits, now }: LoginDeps,
  domain: string,
  warn: (ending: string) => void,
): Promise<RecordedLogin | null> {
  try {
    const login = await openLogin(domain)
    const ending = login && checkLoginTimes(login, now(), limits.jobTimeoutMs)
    if (ending) warn(ending)
    return login
  } catch (error) {
    throw error instanceof OperatorError ? new ExportError(error.message, 'login', { cause: error }) : error
  }
}
