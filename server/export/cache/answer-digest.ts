import { digest } from '../../base/digest.ts'
import type { FetchError } from '../../web/fetch/fetch-error.ts'
import type { RememberedAnswer } from '../model/site-cache.ts'

/** Names everything about an answer that an export may depend on. `bodySha256` null = its body was not read. */
export function digestAnswer(
  { status, url, headers }: Pick<RememberedAnswer, 'status' | 'url' | 'headers'>,
  bodySha256: string | null,
): string {
  return digest(JSON.stringify([status, url, Object.entries(headers), bodySha256]))
}

/** Names a failure: what is unreachable today and tomorrow leads to the same bundle. */
export function digestFailure({ code, message }: FetchError): string {
  return digest(JSON.stringify([code, message]))
}
