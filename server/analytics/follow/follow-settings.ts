import type { LogFlags } from '../formats/log-settings.ts'

/** A log that a server follows. */
export interface FollowedLog {
  /** Absolute. */
  file: string
  /** Whose visits it tells; missing = those of the projects that its hosts belong to. */
  projectId?: string
}

/** What a server follows and how, in a form that can be handed to a thread. */
export interface FollowSettings {
  logs: FollowedLog[]
  graceMs: number
  flags: LogFlags
}

/** Of the flags that say how followed logs are read. */
export const followPrefix = 'follow-'
