import type { Day } from '../analytics/day.ts'
import type { DestroyOptions } from '../store/visits/period-keys.ts'
import type { StoredVisits } from '../store/visits/stored-visits.ts'
import type { Project } from '../tenancy/project.ts'

/** What is deleted. */
export interface PruneTask {
  projects: Pick<Project, 'id' | 'visitorSaltRotation'>[]
  /** Visitors of earlier days are deleted; undefined = of no day. */
  before: Day | undefined
  keys: DestroyOptions
}

export type PrunedVisits = Pick<StoredVisits, 'destroyKeys' | 'pruneSeen'>

/** How many visitor keys were destroyed, and how many visitor days were deleted of a project. */
export interface PruneReport {
  projectId: string
  keys: number
  visitorDays: number
}

/**
 * Destroys the visitor keys of ended periods and deletes old visitors, project by project.
 *
 * @param report is told about each project of which something was deleted.
 * @throws {unknown} the first error, after the other projects.
 */
export async function pruneProjects(
  visits: PrunedVisits,
  { projects, before, keys }: PruneTask,
  report: (report: PruneReport) => void,
): Promise<void> {
  const failures: unknown[] = []
  for (const project of projects) {
    // Visits that cannot be used must not keep those of other projects.
    try {
      const destroyed = await visits.destroyKeys(project, keys)
      const pruned = before === undefined ? 0 : await visits.pruneSeen(project.id, before)
      const visitorDays = destroyed.visitorDays + pruned
      if (destroyed.keys > 0 || visitorDays > 0) report({ projectId: project.id, keys: destroyed.keys, visitorDays })
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}
