import { createHmac, timingSafeEqual } from 'node:crypto'

/** A body that Vercel did not sign with a configured secret. The message is for its sender. */
export class SignatureError extends Error {}

/**
 * Passes a body of a Vercel drain on, and throws a `SignatureError` at its end unless `x-vercel-signature` is its HMAC-SHA1 with one of the
 * secrets, in hexadecimal digits. Hashes chunk by chunk, so that a large body does not keep other requests waiting.
 * https://vercel.com/docs/drains/security
 */
export async function* checkSignature(
  body: AsyncIterable<Uint8Array>,
  signature: string | undefined,
  secrets: readonly string[],
): AsyncGenerator<Uint8Array, void, undefined> {
  if (signature === undefined) throw new SignatureError('The header x-vercel-signature is missing.')
  const hmacs = secrets.map(secret => createHmac('sha1', secret))
  for await (const chunk of body) {
    for (const hmac of hmacs) hmac.update(chunk)
    yield chunk
  }
  const given = Buffer.from(signature, 'hex')
  const digests = hmacs.map(hmac => hmac.digest())
  if (digests.some(digest => digest.length === given.length && timingSafeEqual(digest, given))) return
  throw new SignatureError(
    'The signature in x-vercel-signature does not match the body and the configured secrets. Compare the secret of the drain with --vercel-secret-file.',
  )
}
