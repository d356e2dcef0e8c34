import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from '../../server/base/operator-error.ts'
import { unpackArchive } from '../../server/unpack/unpack-archive.ts'
import { noUnpackLimits } from '../../server/unpack/unpack-limits.ts'
import { runNpm } from '../package/run-npm.ts'
import type { Target } from './targets.ts'

/** The unpacked package with a Node. */
export interface NodePackage {
  folder: string
  version: string
}

/**
 * Returns the package with the Node of a target: the installed one, or for another system the one that the lock file names, from
 * the npm registry. Its bytes are compared with the lock file.
 *
 * @throws {OperatorError} when the registry does not have it, or has other bytes.
 */
export async function findNodePackage(root: string, { nodePackage }: Target, scratch: string): Promise<NodePackage> {
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string; integrity: string }>
  }
  const locked = lock.packages[`node_modules/${nodePackage}`]
  if (!locked) throw new OperatorError(`package-lock.json does not have ${nodePackage}.`)
  const installed = join(root, 'node_modules', nodePackage)
  if (existsSync(installed)) return { folder: installed, version: locked.version }
  const folder = join(scratch, nodePackage)
  await mkdir(folder, { recursive: true })
  const output = await runNpm(
    ['pack', `${nodePackage}@${locked.version}`, '--json', '--pack-destination', folder],
    scratch,
  )
  const [{ filename }] = JSON.parse(output) as [{ filename: string }]
  const tarball = join(folder, filename)
  const found = `sha512-${createHash('sha512')
    .update(await readFile(tarball))
    .digest('base64')}`
  if (found !== locked.integrity) {
    throw new OperatorError(
      `${nodePackage} of the registry does not match package-lock.json. Check the registry of npm.`,
    )
  }
  const unpacked = join(folder, 'unpacked')
  await unpackArchive({ file: tarball, folder: unpacked, limits: noUnpackLimits, signal: new AbortController().signal })
  return { folder: join(unpacked, 'package'), version: locked.version }
}
