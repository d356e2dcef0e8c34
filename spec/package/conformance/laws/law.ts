import type { CheckName } from '../checks.ts'
import type { Session } from '../session.ts'

/** Requests that belong together, and what their answers must have in common. */
export interface Law {
  /** If all of them are excluded, the law is left out. If it cannot be tried, all of them are reported as not done. */
  checks: readonly CheckName[]
  run(session: Session): Promise<void>
}
