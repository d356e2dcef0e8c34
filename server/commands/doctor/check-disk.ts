import { readdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { dayMs } from '../../base/day-ms.ts'
import { describeBytes } from '../../base/format-bytes.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

const mebibyte = 1024 ** 2
/** Below this, an export or an import can fill the disk within minutes. */
const scarceBytes = 2048 * mebibyte
const fullBytes = 256 * mebibyte
const minFreeFiles = 1000

/** How far bundles are looked back and the disk ahead. */
const forecastDays = 30

/** Checks the free space of the disk with the data folder, and when bundles will fill it. */
export async function checkDisk(dataFolder: string, now: number): Promise<Finding[]> {
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
  const daysLeft = freeBytes / (await measureGrowth(dataFolder, now))
  if (daysLeft < forecastDays && freeBytes >= scarceBytes) {
    const days = Math.max(1, Math.floor(daysLeft))
    findings.push(
      warn(
        'disk',
        `If exports go on as in the last ${forecastDays} days, the disk of ${dataFolder} is full in ${days} ${days === 1 ? 'day' : 'days'}.`,
        remedy,
      ),
    )
  }
  return findings
}

/** Returns the bytes that the bundles of the last days in the data folder took each day. */
async function measureGrowth(dataFolder: string, now: number): Promise<number> {
  const folder = join(dataFolder, 'bundles')
  let bytes = 0
  for (const name of await readdir(folder).catch(() => [])) {
    const found = await stat(join(folder, name)).catch(() => null)
    if (found?.isFile() && now - found.mtimeMs < forecastDays * dayMs) bytes += found.size
  }
  return bytes / forecastDays
}
