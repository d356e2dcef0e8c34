import { UnavailableError } from './unavailable-error.ts'

/** The first part of each sentence about a full disk. */
export const diskFull = 'The disk of the server is full.'

/** Decides whether an error, or one of its causes, means that the disk is full or that a quota is used up. */
export function isDiskFull(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < 10; at = at.cause, depth += 1) {
    if (at instanceof UnavailableError) return at.reason === 'full'
    if (/^(ENOSPC|EDQUOT|SQLITE_FULL)$/.test(String((at as NodeJS.ErrnoException).code))) return true
  }
  return false
}
