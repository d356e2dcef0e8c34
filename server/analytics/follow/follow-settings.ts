import type { LogSettings } from '../formats/log-settings.ts'

/** A log that a server follows. */
export interface FollowedLog {
  /** Absolute. */
  file: string
  /** The project whose visits the log holds; missing = the host of each line decides. */
  projectId?: string
}

/** Which logs a server follows and how: plain data, which a thread can be given. */
export interface FollowSettings {
  logs: FollowedLog[]
  graceMs: number
  /** How all of the logs are read. */
  log: LogSettings
}

/** Prefix of the flags that say how followed logs are read. */
export const followPrefix = 'follow-'
