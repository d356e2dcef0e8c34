import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { OperatorError } from './operator-error.ts'

/** A public key as minisign writes it. */
export interface MinisignKey {
  /** 8 bytes that tell keys apart. They are not secret, and prove nothing. */
  id: Buffer
  key: KeyObject
}

const algorithm = 'Ed'
/** The signature of the BLAKE2b-512 of the file. minisign makes no other kind. */
const hashedAlgorithm = 'ED'
const idBytes = 8
const keyBytes = 32
const signatureBytes = 64

/** A SubjectPublicKeyInfo with an Ed25519 key, without the key (RFC 8410). */
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex')

/** Returns the public key of a private or public Ed25519 key. The same key always gets the same id. */
export function toMinisignKey(key: KeyObject): MinisignKey {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key
  const spki = publicKey.export({ type: 'spki', format: 'der' })
  return { id: createHash('sha256').update(spki).digest().subarray(0, idBytes), key: publicKey }
}

/** Writes a public key in one line of 56 characters, which begins with `RW`. */
export function formatMinisignKey({ id, key }: MinisignKey): string {
  const raw = key.export({ type: 'spki', format: 'der' }).subarray(spkiPrefix.length)
  return Buffer.concat([Buffer.from(algorithm), id, raw]).toString('base64')
}

/**
 * Reads a public key.
 *
 * @param text the line of `formatMinisignKey`, or a file of minisign, which has a comment above it
 * @param source names it in errors
 * @throws {OperatorError} with exit code 2.
 */
export function parseMinisignKey(text: string, source: string): MinisignKey {
  const line = text.trim().split('\n').at(-1)?.trim() ?? ''
  const bytes = Buffer.from(line, 'base64')
  const isKey = bytes.length === algorithm.length + idBytes + keyBytes && bytes.toString('base64') === line
  if (!isKey || bytes.subarray(0, algorithm.length).toString('latin1') !== algorithm)
    throw new OperatorError(
      `${source} is not a public key of minisign: one line of 56 characters, beginning with RW.`,
      2,
    )
  const raw = bytes.subarray(algorithm.length + idBytes)
  const key = createPublicKey({ key: Buffer.concat([spkiPrefix, raw]), type: 'spki', format: 'der' })
  return { id: bytes.subarray(algorithm.length, algorithm.length + idBytes), key }
}

/** The id as minisign shows it: a little-endian number in hexadecimal digits. */
export function showKeyId({ id }: Pick<MinisignKey, 'id'>): string {
  return Buffer.from(id).reverse().toString('hex').toUpperCase()
}

/** Signs bytes. Returns the text of a `.minisig` file; the same input gives the same text. The comment is signed too. */
export function signMinisign(content: Buffer, comment: string, privateKey: KeyObject): string {
  const { id } = toMinisignKey(privateKey)
  const signature = sign(null, hash(content), privateKey)
  return write({ id, signature, comment, commentSignature: sign(null, withComment(signature, comment), privateKey) })
}

/**
 * Verifies a signature, and returns its signed comment. The text must be exactly as `signMinisign` writes it: minisign itself ignores
 * the first line and some changes of the base64.
 *
 * @param names of the signed file and of the signature, for errors
 * @throws {OperatorError} that names the file.
 */
export function verifyMinisign(
  text: string,
  content: Buffer,
  key: MinisignKey,
  names: { file: string; signature: string },
): string {
  const [, first = '', comment = '', last = ''] = text.split('\n')
  const bytes = Buffer.from(first, 'base64')
  const id = bytes.subarray(hashedAlgorithm.length, hashedAlgorithm.length + idBytes)
  const signature = bytes.subarray(hashedAlgorithm.length + idBytes)
  const parts = {
    id,
    signature,
    comment: comment.slice(trustedComment.length),
    commentSignature: Buffer.from(last, 'base64'),
  }
  const isComplete = signature.length === signatureBytes && parts.commentSignature.length === signatureBytes
  if (!isComplete || write(parts) !== text)
    throw new OperatorError(`${names.signature} is not a signature that a release of Quire has.`)
  if (!id.equals(key.id))
    throw new OperatorError(
      `${names.signature} was made with the key ${showKeyId(parts)}, and not with ${showKeyId(key)}, which is trusted.`,
    )
  if (!verify(null, withComment(signature, parts.comment), key.key, parts.commentSignature))
    throw new OperatorError(`${names.signature} was changed: its own signature is wrong.`)
  if (!verify(null, hash(content), key.key, signature))
    throw new OperatorError(`${names.file} was changed: ${names.signature} does not match it.`)
  return parts.comment
}

const trustedComment = 'trusted comment: '

function write(parts: { id: Buffer; signature: Buffer; comment: string; commentSignature: Buffer }): string {
  const { id, signature, comment, commentSignature } = parts
  const first = Buffer.concat([Buffer.from(hashedAlgorithm), id, signature])
  return [
    `untrusted comment: signed with the key ${showKeyId({ id })}`,
    first.toString('base64'),
    `${trustedComment}${comment}`,
    commentSignature.toString('base64'),
    '',
  ].join('\n')
}

function withComment(signature: Buffer, comment: string): Buffer {
  return Buffer.concat([signature, Buffer.from(comment)])
}

function hash(content: Buffer): Buffer {
  return createHash('blake2b512').update(content).digest()
}
