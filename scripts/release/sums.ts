import { createHash, type KeyObject } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type MinisignKey, signMinisign } from '../../server/base/minisign.ts'
import { OperatorError } from '../../server/base/operator-error.ts'
import {
  describeRelease,
  readSignedSums,
  releaseFiles,
  type SignedRelease,
  writeSums,
} from '../../server/base/release-sums.ts'

/** Lists the SHA-256 of every file in a folder, by its name, without those of the signed list itself. */
export async function listSums(folder: string): Promise<Map<string, string>> {
  const own: string[] = [releaseFiles.sums, releaseFiles.signature]
  const entries = await readdir(folder, { withFileTypes: true })
  const other = entries.find(entry => !entry.isFile())
  if (other) throw new OperatorError(`${join(folder, other.name)} is not a file. A release has only files.`)
  const names = entries.map(({ name }) => name).filter(name => !own.includes(name))
  const sums = new Map<string, string>()
  for (const name of names.sort()) sums.set(name, await hashFile(join(folder, name)))
  return sums
}

/** Writes the list of the files in a folder, and its signature. */
export async function signRelease(
  folder: string,
  release: Pick<SignedRelease, 'version' | 'commit'>,
  key: KeyObject,
): Promise<void> {
  const sums = writeSums(await listSums(folder))
  await writeFile(join(folder, releaseFiles.sums), sums)
  const signature = signMinisign(Buffer.from(sums), describeRelease(release), key)
  await writeFile(join(folder, releaseFiles.signature), signature)
}

/**
 * Verifies every file of a release.
 *
 * @throws {OperatorError} that names the files that were changed, are missing or were added.
 */
export async function verifyRelease(folder: string, key: MinisignKey): Promise<SignedRelease> {
  const read = (name: string) =>
    readFile(join(folder, name)).catch((error: NodeJS.ErrnoException) => {
      throw new OperatorError(`${join(folder, name)} cannot be read (${error.code}).`)
    })
  const release = readSignedSums(await read(releaseFiles.sums), await read(releaseFiles.signature), key)
  const differences = compareSums(release.files, await listSums(folder))
  if (differences.length > 0) throw new OperatorError(`${folder} is not as it was signed: ${differences.join(', ')}.`)
  return release
}

/** Names the files in which two lists differ, such as `quire-linux-x64 differs`. */
export function compareSums(signed: ReadonlyMap<string, string>, found: ReadonlyMap<string, string>): string[] {
  const names = [...new Set([...signed.keys(), ...found.keys()])].sort()
  return names.flatMap(name => {
    if (signed.get(name) === found.get(name)) return []
    return [`${name} ${!found.has(name) ? 'is missing' : signed.has(name) ? 'differs' : 'is not listed'}`]
  })
}

/** Returns the SHA-256 of a file in hex. */
export async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const part of createReadStream(file)) hash.update(part)
  return hash.digest('hex')
}
