import { setTimeout as pause } from 'node:timers/promises'
import { defaultPacing } from '../../analytics/follow/follow-pacing.ts'
import { parsePosition } from '../../analytics/follow/follow-position.ts'
import type { FollowedLog } from '../../analytics/follow/follow-settings.ts'
import { findEntry } from '../../analytics/follow/log-entries.ts'
import { isBucketAddress } from '../../analytics/import/log-bucket.ts'
import { describeBytes } from '../../base/format-bytes.ts'
import { type Finding, fail, messageOf, ok, warn } from './finding.ts'

const pauseMs = 100
/** A server that follows a log stores a later position within this time, also when the log was rotated just now. */
const defaultPatienceMs = defaultPacing.graceMs + defaultPacing.pollMs + defaultPacing.flushMs
const remedy = 'Check that the server runs, and what its log says about this file.'

/**
 * Checks how far the server of this machine has read the logs that it follows. A log with unread lines is looked at again
 * for some seconds, because a server that reads it stores later positions. Logs in buckets are not compared.
 *
 * @param findPosition returns the stored position; undefined = nothing was read yet
 */
export async function checkLogs(
  logs: readonly FollowedLog[],
  findPosition: (log: FollowedLog) => Promise<string | undefined>,
  patienceMs = defaultPatienceMs,
): Promise<Finding[]> {
  const files = logs.filter(({ file }) => !isBucketAddress(file))
  return Promise.all(
    files.map(async log => {
      try {
        return await checkLog(log.file, () => findPosition(log), patienceMs)
      } catch (error) {
        return fail('logs', `Whether ${log.file} is read is not known. ${messageOf(error)}`, remedy)
      }
    }),
  )
}

async function checkLog(
  file: string,
  findPosition: () => Promise<string | undefined>,
  patienceMs: number,
): Promise<Finding> {
  const before = await findPosition()
  const unreadBytes = await measureUnread(file, before)
  if (unreadBytes === undefined) {
    return warn(
      'logs',
      `The followed log ${file} does not exist.`,
      'Check its path, or start the program that writes it.',
    )
  }
  if (unreadBytes === 0) return ok('logs', `${file} is read to its end.`)
  const unread = `${describeBytes(unreadBytes)} of ${file} are not read yet`
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += pauseMs) {
    await pause(pauseMs)
    if ((await findPosition()) !== before) return ok('logs', `${unread}, and the server is reading it.`)
  }
  return warn('logs', `${unread}, and no server reads it.`, remedy)
}

/** Returns the size of what was written since a position; undefined = the log does not exist. */
async function measureUnread(file: string, position: string | undefined): Promise<number | undefined> {
  const entry = await findEntry(file)
  const read = position === undefined ? null : parsePosition(position)
  return entry && Math.max(0, entry.sizeBytes - (read?.file === entry.file ? read.offset : 0))
}
