import { OperatorError } from '../../base/operator-error.ts'
import type { Database } from '../postgres/database.ts'
import { statement } from '../postgres/statement.ts'
import type { VisitedProject } from '../postgres/visits/visited-projects.ts'

const findUncleared = statement<{ project: number }, object>(
  'SELECT 1 FROM period_keys WHERE project_key = @project AND destroyed_at IS NOT NULL AND NOT is_cleared LIMIT 1',
)

/** @throws {OperatorError} if a deletion of visitors was interrupted, because SQLite deletes all of them at once. */
export async function refuseUnfinished(
  within: Database,
  projectId: string,
  { key: project, keptFrom, deletedBefore }: VisitedProject,
): Promise<void> {
  if (keptFrom <= deletedBefore && !(await within.get(findUncleared, { project }))) return
  throw new OperatorError(
    `A deletion of visitors of ${projectId} was interrupted. Finish it with: npx quire visits prune --project ${projectId}`,
  )
}
