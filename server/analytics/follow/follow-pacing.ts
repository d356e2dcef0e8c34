export interface FollowPacing {
  /** Pause between two reads of the files. */
  pollMs: number
  /** How long a rotated file must be unchanged before the next file is read. */
  graceMs: number
  /** How long views may wait before they are written. */
  flushMs: number
}

export const defaultPacing: FollowPacing = { pollMs: 1000, graceMs: 5000, flushMs: 2000 }
