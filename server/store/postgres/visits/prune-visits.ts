import type { Day } from '../../../analytics/day.ts'
import type { Database } from '../database.ts'
import { deleteDays } from './seen-deletion.ts'
import { forgetLabels } from './seen-labels.ts'
import { slowly } from './slowly.ts'
import { forgetDays } from './visit-counters.ts'
import { KnownPages } from './visit-pages.ts'
import { changeRevision, changeVisited } from './visited-projects.ts'

const keep = slowly<{ project: number; fromDay: Day }>(
  'UPDATE visited_projects SET kept_from = @fromDay WHERE key = @project',
)
const noteDeleted = slowly<{ projectId: string; before: Day }>(
  'UPDATE visited_projects SET deleted_before = greatest(deleted_before, @before) WHERE project_id = @projectId',
  { isRepeatable: true },
)

const tables = [
  'seen_rows',
  'seen_labels',
  'day_counters',
  'month_counters',
  'log_positions',
  'period_keys',
  'derived_days',
]
const deletions = tables.map(table => slowly<{ project: number }>(`DELETE FROM ${table} WHERE project_key = @project`))
const forgetDeletions = slowly<{ project: number }>(
  'UPDATE visited_projects SET kept_from = 0, deleted_before = 0, labelled_from = NULL WHERE key = @project',
)
/** The first waits for a key that is being created, so that the others delete it too. */
const allDeletions = [
  slowly<{ project: number }>('DELETE FROM visited_projects WHERE key = @project'),
  ...deletions,
  ...['pages', 'labels'].map(table => slowly<{ project: number }>(`DELETE FROM ${table} WHERE project_key = @project`)),
]

/**
 * Deletes the visitors of the days before `before`, and keeps the counts, see `VisitRecorder.pruneSeen`. The counts change at once and
 * the rows follow; a call that was interrupted is finished by the next one.
 */
export async function pruneVisits(database: Database, projectId: string, before: Day): Promise<number> {
  const left = await changeVisited(database, projectId, async (within, project) => {
    const { key, keptFrom, deletedBefore } = project
    if (before > keptFrom) {
      await within.run(keep, { project: key, fromDay: before })
      const directory = await new KnownPages(key).readDirectory(within)
      if (await forgetDays(within, key, { before, directory })) await changeRevision(within, project)
      await forgetLabels(within, key, before)
    }
    const until = Math.max(before, keptFrom)
    return deletedBefore < until ? until : undefined
  })
  if (left === undefined) return 0
  const deleted = await deleteDays(database, projectId, { before: left, isDeleted: day => day < left })
  await database.run(noteDeleted, { projectId, before: left })
  return deleted
}

/** Deletes all visits of a project. Its pages stay, because readers identify them by number, and a number must never mean another page. */
export async function deleteVisits(database: Database, projectId: string): Promise<void> {
  await changeVisited(database, projectId, async (within, project) => {
    for (const deletion of deletions) await within.run(deletion, { project: project.key })
    await within.run(forgetDeletions, { project: project.key })
    await changeRevision(within, project)
  })
}

/** Deletes everything about the visits of a project. */
export async function deleteProjectVisits(database: Database, projectId: string): Promise<void> {
  await changeVisited(database, projectId, async (within, { key: project }) => {
    for (const deletion of allDeletions) await within.run(deletion, { project })
  })
}
