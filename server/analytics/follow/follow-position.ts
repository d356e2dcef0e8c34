import type { HeadFingerprint } from './log-fingerprint.ts'

/** The position in a followed log: the file, and the end of the last complete line that was counted. */
export interface FollowPosition {
  /** Device and inode, as in `LogEntry.file`. They change when the file is compressed or copied; the head does not. */
  file: string
  head: HeadFingerprint
  /** In bytes, before any compression. */
  offset: number
  /** Last write to the file, in milliseconds since 1970 by the clock of its file system. */
  modifiedAtMs: number
  /** Whether the file is complete and further lines are in a newer file. */
  isFinished: boolean
}

const version = 1

/** Formats a position for the store; null = the log is followed, but nothing was read yet. */
export function formatPosition(position: FollowPosition | null): string {
  return JSON.stringify({ version, ...position })
}

/**
 * Parses the output of `formatPosition`.
 *
 * @throws {Error} when a newer version wrote it.
 */
export function parsePosition(text: string): FollowPosition | null {
  const { version: written, ...position } = JSON.parse(text) as { version: number } & FollowPosition
  if (written !== version) throw new Error('The position of the log was written by a newer Quire. Upgrade Quire.')
  return position.file === undefined ? null : position
}
