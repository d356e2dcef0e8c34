import { generateKeyPairSync } from 'node:crypto'
import { readSigningKey, readTrustedKeys, type SigningKey, type TrustedKeys } from '../../server/base/signature.ts'

/** A new pair of Ed25519 keys: as files have them, and as the program reads them. */
export interface KeyPair {
  pem: string
  publicPem: string
  key: SigningKey
}

export function makeKeyPair(): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const publicPem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  return { pem, publicPem, key: readSigningKey(pem, 'key.pem') }
}

export function trust(...pairs: KeyPair[]): TrustedKeys {
  return new Map(pairs.flatMap(({ publicPem }) => readTrustedKeys(publicPem, 'key.pub.pem')))
}
