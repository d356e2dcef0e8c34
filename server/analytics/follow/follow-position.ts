import type { HeadPrint } from './log-fingerprint.ts'

/** How far a log was read: the file, and the end of the last whole line of it that was counted. */
export interface FollowPosition {
  /** Device and inode, as `LogEntry.file`. A compressed or copied file has others, but the same head. */
  file: string
  head: HeadPrint
  /** Bytes of the file as it was before any compression. */
  offset: number
  /** When the file was last written to, in milliseconds since 1970 by the clock of its file system. */
  modifiedAtMs: number
  /** Nothing more is expected of this file: what follows is in a newer one. */
  isFinished: boolean
}

const version = 1

/** As it is kept in the store; null = the log is followed, and nothing of it was read yet. */
export function formatPosition(position: FollowPosition | null): string {
  return JSON.stringify({ version, ...position })
}

/**
 * Reads what `formatPosition` wrote.
 *
 * @throws {Error} when it was written by a newer version of this.
 */
export function parsePosition(text: string): FollowPosition | null {
  const { version: written, ...position } = JSON.parse(text) as { version: number } & FollowPosition
  if (written !== version) throw new Error('The position of the log was written by a newer Quire. Upgrade Quire.')
  return position.file === undefined ? null : position
}
