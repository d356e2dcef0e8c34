import type { LogSettings } from '../envelopes/log-settings.ts'

/** A log that a server follows. */
export interface FollowedLog {
  /** Absolute path, or the address of a bucket. */
  file: string
  /** The project of the log's visits; missing = the host of each line decides. */
  projectId?: string
}

/** The logs that a server follows and their settings, as plain data that can be passed to a thread. */
export interface FollowSettings {
  logs: FollowedLog[]
  graceMs: number
  /** For how long after the time in its key an object of a bucket may arrive. */
  overlapMs: number
  /** Settings of all the logs. */
  log: LogSettings
}

/** Prefix of the flags for reading followed logs. */
export const followPrefix = 'follow-'
