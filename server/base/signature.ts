import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { digest } from './digest.ts'
import { OperatorError } from './operator-error.ts'

const format = 'quire-signature-1'

/** What a signature says of an archive. The archive itself stays as it is. */
export interface Signature {
  format: typeof format
  /** Names the key, see `nameKey`. */
  keyId: string
  /** The SHA-256 and the size of the archive. */
  sha256: string
  sizeBytes: number
  /** When it was signed, in UTC. Of two archives, the one that was signed later is the newer one. */
  signedAt: string
  /** Ed25519 (RFC 8032) over `signedText`, in base64. */
  signature: string
}

/** A private key, and the name of its public key. */
export interface SigningKey {
  id: string
  key: KeyObject
}

/** Public keys, by their name. */
export type TrustedKeys = ReadonlyMap<string, KeyObject>

/** The header of a download with its signature. */
export const signatureHeader = 'Quire-Signature'

/** Names the file of a signature: beside the archive. */
export function signatureFile(archive: string): string {
  return `${archive}.sig`
}

/** Names a public key: the first 16 hex digits of the SHA-256 of its SubjectPublicKeyInfo (RFC 8410). */
function nameKey(key: KeyObject): string {
  return digest(key.export({ type: 'spki', format: 'der' })).slice(0, 16)
}

const makeKey = 'openssl genpkey -algorithm ed25519 -out quire-signing.pem'
const makePublicKey = 'openssl pkey -in quire-signing.pem -pubout -out quire-signing.pub.pem'

/**
 * Reads a private key.
 *
 * @param pem PKCS#8, without a passphrase.
 * @param source names the file or flag in errors, which never contain the key.
 * @throws {OperatorError} with exit code 2.
 */
export function readSigningKey(pem: string, source: string): SigningKey {
  let key: KeyObject
  try {
    key = createPrivateKey(pem)
  } catch {
    throw new OperatorError(`${source} is not a private key in PEM without a passphrase. To make one: ${makeKey}`, 2)
  }
  if (key.asymmetricKeyType !== 'ed25519')
    throw new OperatorError(`${source} is a key of another kind. An Ed25519 key is needed. To make one: ${makeKey}`, 2)
  return { id: nameKey(createPublicKey(key)), key }
}

/**
 * Reads public keys, one or several.
 *
 * @param source names the file in errors.
 * @throws {OperatorError} with exit code 2, also for a private key, which must not be on the machine that verifies.
 */
export function readTrustedKeys(pem: string, source: string): [id: string, key: KeyObject][] {
  if (pem.includes('PRIVATE KEY'))
    throw new OperatorError(`${source} has a private key. Give the public key instead: ${makePublicKey}`, 2)
  const blocks = pem.split(/(?=-----BEGIN )/).filter(block => block.startsWith('-----BEGIN '))
  const keys = blocks.map(block => {
    try {
      return createPublicKey(block)
    } catch {
      return null
    }
  })
  if (keys.length === 0 || keys.some(key => key?.asymmetricKeyType !== 'ed25519'))
    throw new OperatorError(`${source} must have public Ed25519 keys in PEM. To make one: ${makePublicKey}`, 2)
  return keys.flatMap(key => (key ? [[nameKey(key), key] as [string, KeyObject]] : []))
}

/** Returns the bytes that are signed: four lines, so that other programs can verify them. */
function signedText({ sha256, sizeBytes, signedAt }: Signed): Buffer {
  return Buffer.from(`${format}\n${sha256}\n${sizeBytes}\n${signedAt}\n`)
}

type Signed = Pick<Signature, 'sha256' | 'sizeBytes' | 'signedAt'>

/** Signs an archive. The same archive, key and time give the same signature. Returns one line, for a file or a header. */
export function signArchive(
  archive: { sha256: string; sizeBytes: number },
  at: number,
  { id, key }: SigningKey,
): string {
  const { sha256, sizeBytes } = archive
  const signed = { sha256, sizeBytes, signedAt: new Date(at).toISOString() }
  const signature = sign(null, signedText(signed), key).toString('base64')
  return JSON.stringify({ format, keyId: id, ...signed, signature } satisfies Signature)
}

/**
 * Verifies that a trusted key made a signature. Whether it is that of an archive, the caller decides by the SHA-256.
 *
 * @param text as `signArchive` returned it, from a source that may be hostile.
 * @throws {OperatorError} that says why it does not count.
 */
export function verifySignature(text: string, trusted: TrustedKeys): Signature {
  const signature = parse(text)
  const key = trusted.get(signature.keyId)
  if (!key)
    throw new OperatorError(
      `The bundle is signed with the key ${signature.keyId}, which is not trusted. Trusted: ${[...trusted.keys()].join(', ')}. If the key is right, name its file with --trusted-key.`,
    )
  if (!verify(null, signedText(signature), key, Buffer.from(signature.signature, 'base64')))
    throw new OperatorError(`The signature of the bundle is wrong: the key ${signature.keyId} did not sign it.`)
  return signature
}

/** What the fields contain, the signature covers. */
function parse(text: string): Signature {
  try {
    const signature: Signature = JSON.parse(text)
    if (/^[0-9a-f]{16}$/.test(signature.keyId)) return { ...signature, signature: String(signature.signature) }
  } catch {
    // As if it were not there.
  }
  throw new OperatorError('The signature of the bundle cannot be read. Make it again with: npx quire export --sign')
}
