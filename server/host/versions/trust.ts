import { OperatorError } from '../../base/operator-error.ts'
import { type Signature, type TrustedKeys, verifySignature } from '../../base/signature.ts'
import type { Version } from './version.ts'

/**
 * Returns the signature of a version, if a trusted key made it.
 *
 * @return null = it has none that counts, such as one of a key that is no longer trusted.
 */
export function findTrusted({ signature, sha256 }: Version, trusted: TrustedKeys): Signature | null {
  try {
    const verified = verifySignature(signature ?? '', trusted)
    return verified.sha256 === sha256 ? verified : null
  } catch (error) {
    if (error instanceof OperatorError) return null
    throw error
  }
}

/** Decides whether a version may be served. @param trusted null = any may. */
export function mayServe(version: Version, trusted: TrustedKeys | null): boolean {
  return trusted === null || findTrusted(version, trusted) !== null
}
