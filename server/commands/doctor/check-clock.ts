import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { mainDatabase } from '../../store/backup/data-files.ts'
import { findNewestTime } from '../../store/inspect-database.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

/** Quire did not exist before, so an earlier time is wrong. */
const firstRelease = Date.UTC(2026, 10, 1)
/** Clocks of several machines on one disk may differ by this much. */
const toleranceMs = 60_000
const remedy = 'Check the clock and its synchronisation: timedatectl'

/** Compares the clock with the times that the server and the file system wrote. */
export async function checkClock(dataFolder: string, now: number): Promise<Finding[]> {
  const shown = new Date(now).toISOString()
  if (now < firstRelease) return [fail('clock', `The clock says ${shown}, which is before the first version.`, remedy)]
  const findings: Finding[] = []
  const newest = readNewestTime(dataFolder)
  if (newest && newest.at > now + toleranceMs) {
    const message = `The clock says ${shown}, but ${newest.column} in ${mainDatabase} has ${new Date(newest.at).toISOString()}.`
    findings.push(fail('clock', message, remedy))
  }
  const file = await findNewestFile(dataFolder)
  if (file && file.at > now + toleranceMs) {
    const message = `The clock says ${shown}, but ${file.name} was changed at ${new Date(file.at).toISOString()}.`
    findings.push(warn('clock', message, `${remedy}. On a network disk, also check the clock of its server.`))
  }
  if (findings.length > 0) return findings
  return [ok('clock', `The clock says ${shown}, and nothing in the data folder is newer.`)]
}

function readNewestTime(dataFolder: string) {
  try {
    return findNewestTime(join(dataFolder, mainDatabase))
  } catch {
    // The check of the databases explains why.
    return undefined
  }
}

async function findNewestFile(dataFolder: string): Promise<{ name: string; at: number } | undefined> {
  let newest: { name: string; at: number } | undefined
  for (const name of await readdir(dataFolder)) {
    const at = (await stat(join(dataFolder, name)).catch(() => null))?.mtimeMs
    if (at !== undefined && at > (newest?.at ?? 0)) newest = { name, at }
  }
  return newest
}
