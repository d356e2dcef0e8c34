/** What was checked. */
export type Check =
  | 'versions'
  | 'settings'
  | 'disk'
  | 'permissions'
  | 'databases'
  | 'bundles'
  | 'backup'
  | 'logs'
  | 'clock'
  | 'links'
  | 'agents'
  | 'confinement'
  | 'browser'

/** One result of `quire doctor`. A failure needs action. A warning needs none if the operator intended its cause. */
export interface Finding {
  check: Check
  level: 'ok' | 'warning' | 'failure'
  message: string
  /** What to do; null when all is well. */
  remedy: string | null
}

export function ok(check: Check, message: string): Finding {
  return { check, level: 'ok', message, remedy: null }
}

export function warn(check: Check, message: string, remedy: string): Finding {
  return { check, level: 'warning', message, remedy }
}

export function fail(check: Check, message: string, remedy: string): Finding {
  return { check, level: 'failure', message, remedy }
}

/** The message of an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
