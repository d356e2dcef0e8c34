import { digest } from '../../base/digest.ts'
import type { FetchError } from '../../web/fetch/fetch-error.ts'
import type { CachedAnswer } from '../model/site-cache.ts'

/**
 * Returns a digest of every part of an answer that an export may depend on. A null `bodySha256` means that the body was not
 * read.
 */
export function digestAnswer(
  { status, url, headers }: Pick<CachedAnswer, 'status' | 'url' | 'headers'>,
  bodySha256: string | null,
): string {
  return digest(JSON.stringify([status, url, Object.entries(headers), bodySha256]))
}

/** Returns a digest of a failure. The same failure in two exports leads to the same bundle. */
export function digestFailure({ code, message }: FetchError): string {
  return digest(JSON.stringify([code, message]))
}
