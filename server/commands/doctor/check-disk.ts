import { statfs } from 'node:fs/promises'
import { describeBytes } from '../../base/format-bytes.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

const mebibyte = 1024 ** 2
/** Below this, an export or an import can fill the disk within minutes. */
const scarceBytes = 2048 * mebibyte
const fullBytes = 256 * mebibyte
const minFreeFiles = 1000

/** Checks the free space of the disk with the data folder. */
export async function checkDisk(dataFolder: string): Promise<Finding[]> {
  const { bavail, bsize, files, ffree } = await statfs(dataFolder)
  const freeBytes = bavail * bsize
  const message = `The disk of ${dataFolder} has ${describeBytes(freeBytes)} free.`
  const remedy = 'Free some space. Old exports: npx quire serve --export-retention-days, npx quire exports delete.'
  const findings =
    freeBytes < fullBytes
      ? [fail('disk', message, remedy)]
      : freeBytes < scarceBytes
        ? [warn('disk', message, remedy)]
        : [ok('disk', message)]
  // Some file systems report 0 of 0.
  if (files > 0 && ffree < minFreeFiles) {
    findings.push(
      fail('disk', `The disk of ${dataFolder} has room for ${ffree} more files.`, 'Delete files that are not needed.'),
    )
  }
  return findings
}
