import type { PageView, ViewBatch } from '../../analytics/view-batch.ts'
import { asHuman, toViewBatch } from '../../analytics/view-batch.ts'
import type { Database } from '../database.ts'

interface Row {
  project: string
  day: number
  path: string
  visitor: Buffer
  mask: number
}

const viewsAtATime = 100_000

/**
 * Moves visits from the old tables in the main database to the database files of the projects, and drops the tables. After
 * a kill, the move starts again: recording the same visits twice changes nothing.
 *
 * @param record records visits that were hashed with a key derived from `visitor.key`
 */
export function moveOldVisits(database: Database, record: (projectId: string, batch: ViewBatch) => void): void {
  const hasOldVisits = () => database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'seen'").get() !== undefined
  if (!hasOldVisits()) return
  const move = database.transaction(() => {
    if (!hasOldVisits()) return
    const rows = database.prepare<[], Row>(
      `SELECT projects.id AS project, day, path, visitor, mask FROM seen
       JOIN projects ON projects.key = seen.project_key JOIN pages ON pages.key = page_key
       ORDER BY seen.project_key, day`,
    )
    let views: PageView[] = []
    let project = ''
    const recordViews = () => {
      if (views.length > 0) record(project, toViewBatch(views))
      views = []
    }
    for (const row of rows.iterate()) {
      if (row.project !== project || views.length >= viewsAtATime) recordViews()
      project = row.project
      const { path, day, visitor, mask } = row
      if (mask & asHuman) views.push({ path, day, visitor, kind: 'human' })
      if (mask & ~asHuman) views.push({ path, day, visitor, kind: 'ai' })
    }
    recordViews()
    database.exec('DROP TABLE seen; DROP TABLE pages')
  })
  // IMMEDIATE prevents two processes that start together from both moving the visits.
  move.immediate()
}
