import { open } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { defaultPacing } from '../../analytics/follow/follow-pacing.ts'
import { parsePosition } from '../../analytics/follow/follow-position.ts'
import type { FollowedLog } from '../../analytics/follow/follow-settings.ts'
import { findEntry, type LogEntry } from '../../analytics/follow/log-entries.ts'
import { isBucketAddress } from '../../analytics/import/log-bucket.ts'
import { describeBytes } from '../../base/format-bytes.ts'
import { type Finding, fail, messageOf, ok, warn } from './finding.ts'

const pauseMs = 1000
/** A log whose last line is longer is taken as complete. */
const maxLastLine = 64 * 1024
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
        return fail('logs', `Cannot tell whether ${log.file} is read. ${messageOf(error)}`, remedy)
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
  const unread = `${file} has ${unreadBytes < 1024 ? `${unreadBytes} bytes` : describeBytes(unreadBytes)} of unread lines`
  for (const until = performance.now() + patienceMs; performance.now() < until; ) {
    await pause(Math.min(pauseMs, patienceMs))
    if ((await findPosition()) !== before) return ok('logs', `${unread}, and a server is reading them.`)
  }
  return warn('logs', `${unread}, and no server is reading them.`, remedy)
}

/** Returns the size of the complete lines that were written since a position; undefined = the log does not exist. */
async function measureUnread(file: string, position: string | undefined): Promise<number | undefined> {
  const entry = await findEntry(file)
  if (!entry) return undefined
  const read = position === undefined ? null : parsePosition(position)
  const isRead = read?.file === entry.file && read.offset <= entry.sizeBytes
  // A file that became smaller was emptied, and is read from its beginning.
  const from = isRead ? read.offset : 0
  return Math.max(0, (await findLastLineEnd(entry)) - from)
}

/** A program may write the rest of the last line much later. */
async function findLastLineEnd({ path, sizeBytes }: LogEntry): Promise<number> {
  const log = await open(path)
  try {
    const at = Math.max(0, sizeBytes - maxLastLine)
    const { buffer, bytesRead } = await log.read(Buffer.alloc(sizeBytes - at), 0, sizeBytes - at, at)
    const end = buffer.subarray(0, bytesRead).lastIndexOf('\n')
    return end === -1 && at > 0 ? sizeBytes : at + end + 1
  } finally {
    await log.close()
  }
}
