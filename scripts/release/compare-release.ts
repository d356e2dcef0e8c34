import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { formatMinisignKey, type MinisignKey } from '../../server/base/minisign.ts'
import { OperatorError } from '../../server/base/operator-error.ts'
import { targets } from '../build-binary/targets.ts'
import { isOfImage } from './build-images.ts'
import { makeRelease, type ReleaseOptions } from './make-release.ts'
import type { ReleaseSource } from './source.ts'
import { compareSums, listSums, verifyRelease } from './sums.ts'

export interface Comparison {
  /** How many files the release has, without images if they were not built again. */
  files: number
  /** Such as `quire-linux-x64 differs`. */
  differences: string[]
}

/**
 * Builds a release again from the same commit, and names the files whose bytes differ. Debian changes, so images are
 * built again only if asked for.
 *
 * @throws {OperatorError} when the release is not as it was signed, or another commit is checked out.
 */
export async function compareRelease(
  folder: string,
  key: MinisignKey,
  source: ReleaseSource,
  images: ReleaseOptions['images'],
): Promise<Comparison> {
  const release = await verifyRelease(folder, key)
  if (release.commit !== source.commit) {
    const { stdout } = await promisify(execFile)('git', ['rev-parse', 'HEAD'], { cwd: source.root })
    throw new OperatorError(
      `The release is of commit ${release.commit ?? 'none'}, and this is ${source.commit ?? `${stdout.trim()} with changes`}. Check out that commit.`,
    )
  }
  const output = await mkdtemp(join(tmpdir(), 'quire-compare-'))
  try {
    await makeRelease(source, {
      targets: targets.filter(({ program }) => release.files.has(program)),
      canSkipTargets: false,
      publicKey: formatMinisignKey(key),
      output,
      images,
    })
    const signed = new Map([...release.files].filter(([name]) => images !== undefined || !isOfImage(name)))
    return { files: signed.size, differences: compareSums(signed, await listSums(output)) }
  } finally {
    await rm(output, { recursive: true, force: true })
  }
}
