import { readSigningKey, readTrustedKeys, type SigningKey, type TrustedKeys } from '../base/signature.ts'
import { readGivenFile } from './read-given-file.ts'
import { nonEmpty, type Setting } from './setting.ts'

/** The public keys of those whose bundles count. */
export const trustedKey = {
  flag: '--trusted-key <file>',
  env: 'QUIRE_TRUSTED_KEYS',
  what: 'public Ed25519 key in PEM: only bundles signed with it are accepted; may be repeated',
  read: (text: string, before: readonly string[] = []): readonly string[] => [
    ...before,
    ...text
      .split('\n')
      .map(file => file.trim())
      .filter(Boolean),
  ],
} as const satisfies Setting

/** The private key that signs a bundle of `export`. */
export const sign = {
  flag: '--sign <key-file>',
  env: 'QUIRE_EXPORT_SIGN',
  what: 'sign the archive with this private Ed25519 key in PEM; the signature is FILE.sig beside it',
  read: nonEmpty('a file, such as quire-signing.pem'),
} as const satisfies Setting

/** @throws {OperatorError} with exit code 2, naming the file and the remedy. */
export function readKeyFile(file: string): { pem: string; key: SigningKey } {
  const pem = readGivenFile(file, `The key file ${file}`)
  return { pem, key: readSigningKey(pem, file) }
}

/**
 * Reads the files of `--trusted-key`.
 *
 * @return null = none was given, and any bundle counts.
 * @throws {OperatorError} with exit code 2, naming the file and the remedy.
 */
export function readTrustedKeyFiles(files: readonly string[] | undefined): TrustedKeys | null {
  if (files === undefined || files.length === 0) return null
  return new Map(files.flatMap(file => readTrustedKeys(readGivenFile(file, `The key file ${file}`), file)))
}
