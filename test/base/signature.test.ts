import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { readSigningKey, readTrustedKeys, signArchive, verifySignature } from '../../server/base/signature.ts'

function makeKeys() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  return { pem, publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString() }
}

const mine = makeKeys()
const other = makeKeys()
const key = readSigningKey(mine.pem, 'key.pem')
const trusted = new Map(readTrustedKeys(mine.publicPem, 'key.pub.pem'))
const archive = { sha256: 'a'.repeat(64), sizeBytes: 12 }
const at = Date.UTC(2026, 10, 27)
const text = signArchive(archive, at, key)

test('a signature is one line of JSON, and the same archive, key and time give the same one', () => {
  expect(JSON.parse(text)).toEqual({
    ...archive,
    format: 'quire-signature-1',
    keyId: key.id,
    signedAt: '2026-11-27T00:00:00.000Z',
    signature: expect.stringMatching(/^[\w+/]{86}==$/),
  })
  expect(text).toMatch(/^[\x20-\x7e]+$/)
  expect(signArchive(archive, at, key)).toBe(text)
  expect(verifySignature(`${text}\n`, trusted)).toMatchObject(archive)
})

test('other programs can verify the four lines that are signed', () => {
  const signed = `quire-signature-1\n${archive.sha256}\n12\n2026-11-27T00:00:00.000Z\n`
  const bytes = Buffer.from(JSON.parse(text).signature, 'base64')
  expect(verify(null, Buffer.from(signed), createPublicKey(mine.publicPem), bytes)).toBe(true)
})

describe('a signature does not count', () => {
  const change = (fields: object) => JSON.stringify({ ...JSON.parse(text), ...fields })
  test.each<[string, string, RegExp]>([
    ['of another archive', change({ sha256: 'b'.repeat(64) }), /is wrong: the key [0-9a-f]{16} did not sign it/],
    ['of another size', change({ sizeBytes: 13 }), /is wrong/],
    ['of another time', change({ signedAt: '2026-11-28T00:00:00.000Z' }), /is wrong/],
    ['of a key that is not trusted', signArchive(archive, at, readSigningKey(other.pem, '')), /which is not trusted/],
    [
      'with the name of a trusted key',
      change({ signature: JSON.parse(signArchive(archive, at, readSigningKey(other.pem, ''))).signature }),
      /is wrong/,
    ],
    ['that is no JSON', 'x', /cannot be read/],
    ['that is null', 'null', /cannot be read/],
    ['without a time', change({ signedAt: undefined }), /cannot be read/],
    ['of a later format', change({ format: 'quire-signature-2' }), /cannot be read/],
  ])('%s', (_, given, reason) => {
    expect(() => verifySignature(given, trusted)).toThrow(reason)
  })
})

describe('a key file is refused with a remedy, and without the key', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  test.each<[string, () => unknown, RegExp]>([
    ['text', () => readSigningKey('secret text', 'k'), /^k is not a private key in PEM .* openssl genpkey/],
    ['a public key to sign with', () => readSigningKey(mine.publicPem, 'k'), /is not a private key/],
    [
      'RSA',
      () => readSigningKey(rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), 'k'),
      /of another kind/,
    ],
    ['a private key to trust', () => readTrustedKeys(mine.pem, 'k'), /k has a private key\. Give the public key/],
    ['nothing to trust', () => readTrustedKeys('', 'k'), /must have public Ed25519 keys/],
    ['a damaged key to trust', () => readTrustedKeys(mine.publicPem.replace('MCow', 'MCxx'), 'k'), /must have public/],
  ])('%s', (_, read, reason) => {
    expect(read).toThrow(reason)
    expect(read).not.toThrow(/secret|MCow|BEGIN/)
  })
  test('a file may have several public keys', () => {
    expect(readTrustedKeys(`${mine.publicPem}\n${other.publicPem}`, 'k').map(([id]) => id)).toHaveLength(2)
  })
})
