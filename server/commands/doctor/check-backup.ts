import { dayMs } from '../../base/day-ms.ts'
import { findLastBackup } from '../../store/backup/last-backup.ts'
import { type Finding, ok, warn } from './finding.ts'

const oldDays = 7

/** Checks when the last backup was made. A folder without one may belong to a trial, or be copied by other means. */
export async function checkBackup(dataFolder: string, now: number): Promise<Finding> {
  const at = await findLastBackup(dataFolder)
  if (at === undefined) return ok('backup', 'No backup is known. To make one: npx quire backup --help')
  const days = Math.floor((now - at) / dayMs)
  const message = `The last backup is ${days} ${days === 1 ? 'day' : 'days'} old.`
  return days < oldDays
    ? ok('backup', message)
    : warn('backup', message, 'Find out why: npx quire backup is to run every night.')
}
