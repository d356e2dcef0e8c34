import { type MinisignKey, verifyMinisign } from './minisign.ts'
import { OperatorError } from './operator-error.ts'

/** The names of the files that make a release verifiable. */
export const releaseFiles = {
  sums: 'SHA256SUMS',
  signature: 'SHA256SUMS.minisig',
  /** Only helps to find the key that was used: whoever changes a release can change it too. */
  publicKey: 'quire-release.pub',
}

/** What a signature says of a release. */
export interface SignedRelease {
  version: string
  /** Null = made from files that no commit has, which only a dry run allows. */
  commit: string | null
  /** The SHA-256 in hex of each file, by its name. */
  files: ReadonlyMap<string, string>
}

/** The signed comment of a release. It has the version, so that an older release cannot be passed off as a newer one. */
export function describeRelease({ version, commit }: Pick<SignedRelease, 'version' | 'commit'>): string {
  return `quire ${version} commit ${commit ?? 'none'}`
}

/** Writes the list of files as `sha256sum` does, sorted by name. */
export function writeSums(files: ReadonlyMap<string, string>): string {
  const sorted = [...files].sort(([a], [b]) => (a < b ? -1 : 1))
  return sorted.map(([name, sha256]) => `${sha256}  ${name}\n`).join('')
}

/**
 * Verifies the signature of a release, and reads its list of files.
 *
 * @throws {OperatorError} that names the file that was changed.
 */
export function readSignedSums(sums: Buffer, signature: Buffer, key: MinisignKey): SignedRelease {
  const names = { file: releaseFiles.sums, signature: releaseFiles.signature }
  const comment = verifyMinisign(signature.toString('utf8'), sums, key, names)
  const [, version, commit] = /^quire (\d+\.\d+\.\d+) commit ([0-9a-f]{40}|none)$/.exec(comment) ?? []
  if (version === undefined || commit === undefined)
    throw new OperatorError(`${releaseFiles.signature} is not that of a release of Quire. Its comment: ${comment}`)
  const lines = sums.toString('utf8').trimEnd().split('\n')
  const files = new Map(lines.map(line => [line.slice(66), line.slice(0, 64)]))
  return { version, commit: commit === 'none' ? null : commit, files }
}

/** Compares versions: negative if `a` is the earlier one, 0 if they are equal. One such as `1.2.0-rc.1` is earlier than `1.2.0`. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map(readVersion) as [number[], number[]]
  const at = left.findIndex((part, index) => part !== right[index])
  return at === -1 ? 0 : (left[at] ?? 0) - (right[at] ?? 0)
}

/** The three numbers, and 0 for a pre-release or 1. */
function readVersion(version: string): number[] {
  const [numbers = '', preRelease] = version.split('-')
  return [...numbers.split('.').map(Number), preRelease === undefined ? 1 : 0]
}
