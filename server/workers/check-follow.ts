import { checkFollowable } from '../analytics/follow/check-followable.ts'
import { type FollowSettings, followPrefix } from '../analytics/follow/follow-settings.ts'
import { LogFormatError, nameFlag } from '../analytics/formats/log-format.ts'
import { toLogReading } from '../analytics/formats/log-settings.ts'
import { getVisitedProjects } from '../analytics/import/find-projects.ts'
import { LogFileError } from '../analytics/import/log-file.ts'
import { OperatorError } from '../base/operator-error.ts'
import type { Store } from '../store/store.ts'

/**
 * Refuses what no later try can mend: a project that is not there, no site at all, a file that is no log, a client field that the format does
 * not have. What may pass, such as a file that is missing or may not be read, is left to the following.
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
      const told = explain(error)
      if (told !== undefined) throw new OperatorError(`${showFlag(file, projectId)}: ${told}`, 2)
    }
  }
}

function showFlag(file: string, projectId: string | undefined): string {
  return projectId === undefined ? `--follow-log-by-host ${file}` : `--follow-log ${file}=${projectId}`
}

/** Undefined when it may pass. */
function explain(error: unknown): string | undefined {
  if (error instanceof LogFormatError) return nameFlag(error, followPrefix)
  if (error instanceof OperatorError) return error.message
  // One with a cause is what the file system said.
  return error instanceof LogFileError && error.cause === undefined ? error.message : undefined
}
