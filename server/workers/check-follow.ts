import { toLogReading } from '../analytics/envelopes/log-reading.ts'
import { checkFollowable } from '../analytics/follow/check-followable.ts'
import { type FollowSettings, followPrefix } from '../analytics/follow/follow-settings.ts'
import { LogFormatError, nameFlag } from '../analytics/formats/log-format.ts'
import { getVisitedProjects } from '../analytics/import/find-projects.ts'
import { OperatorError } from '../base/operator-error.ts'
import type { Store } from '../store/store.ts'

/**
 * Refuses logs that can never be followed: the project is unknown, no site is registered, the file is not a log, or the
 * format does not have the client field. Temporary problems, such as a missing or unreadable file, are left to the thread.
 *
 * @throws {OperatorError} with exit code 2, naming the flag and the remedy.
 */
export async function checkFollowSettings(
  { logs, log }: FollowSettings,
  store: Pick<Store, 'projects' | 'sites'>,
): Promise<void> {
  for (const { file, projectId } of logs) {
    try {
      const projects = await getVisitedProjects(store, projectId)
      await checkFollowable(file, { ...toLogReading(log), projects })
    } catch (error) {
      const reason = explain(error)
      if (reason !== undefined) throw new OperatorError(`${showFlag(file, projectId)}: ${reason}`, 2)
    }
  }
}

function showFlag(file: string, projectId: string | undefined): string {
  return projectId === undefined ? `--follow-log-by-host ${file}` : `--follow-log ${file}=${projectId}`
}

/** Returns the message for the operator; undefined if the problem may be temporary. */
function explain(error: unknown): string | undefined {
  if (error instanceof LogFormatError) return nameFlag(error, followPrefix)
  // An error with a cause comes from the file system, and may be temporary.
  return error instanceof OperatorError && error.cause === undefined ? error.message : undefined
}
