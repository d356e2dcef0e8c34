import { CellChanges } from '../../analytics/counters/cell-changes.ts'
import { groupVisitors } from '../../analytics/counters/group-visitors.ts'
import { groupLabels } from '../../analytics/counters/label-sets.ts'
import { visitorsAtATime } from '../../analytics/counters/seen-rows.ts'
import { sortViews } from '../../analytics/counters/sorted-views.ts'
import { VisitorHistory } from '../../analytics/counters/visitor-history.ts'
import type { Day } from '../../analytics/day.ts'
import type { LogPosition, RecordedViews } from '../../analytics/unique-visitors.ts'
import type { ViewBatch } from '../../analytics/view-batch.ts'
import type { Database } from '../database.ts'
import { countViews, dropDestroyed } from './kept-views.ts'
import { openLogPositions } from './log-positions.ts'
import { openPeriodKeys } from './period-keys.ts'
import { openSeenDays } from './seen-days.ts'
import { openSeenLabels } from './seen-labels.ts'
import { openVisitCounters } from './visit-counters.ts'
import { openVisitPages } from './visit-pages.ts'
import { openVisitReader } from './visit-reader.ts'
import { openVisitReports } from './visit-reports.ts'
import { openVisitRevision } from './visit-revision.ts'

/**
 * Does not wait for the disk. A power cut may lose the last batches together with the log position, so they are read again.
 */
const lazily = 'NORMAL'
/** Waits for the disk. */
const atOnce = 'FULL'

type SeenDaysTable = ReturnType<typeof openSeenDays>

/** The tables with the visits of a project. */
const tables = [
  'seen_rows',
  'seen_labels',
  'day_counters',
  'month_counters',
  'log_positions',
  'kept',
  'labelled',
  'period_keys',
  'derived_days',
]

/** The visits of one project. */
export function openProjectVisits(database: Database) {
  const pages = openVisitPages(database)
  const counters = openVisitCounters(database, pages)
  const seen = openSeenDays(database)
  const positions = openLogPositions(database)
  const keys = openPeriodKeys(database, seen)
  const revision = openVisitRevision(database)
  const labels = openSeenLabels(database)

  const recordInside = database.transaction((given: ViewBatch, position?: LogPosition): RecordedViews => {
    const keptFrom = seen.keptFrom()
    // Read in the transaction, because another process may have destroyed a key that this batch was hashed with.
    const batch = dropDestroyed(given, keys.listDestroyed())
    seen.prepare()
    const changes = new CellChanges()
    const added = addVisits(seen, changes, sortViews(batch, pages.toNumbers(batch.paths), keptFrom))
    if (counters.apply(changes)) revision.replace()
    labels.add(groupLabels(batch, keptFrom))
    if (position) positions.upsert(position)
    return { ...added, tooOldViews: countViews(given) - countViews(batch, keptFrom) }
  })

  const prune = database.transaction((before: Day): number => {
    if (before <= seen.keptFrom()) return 0
    seen.keep(before)
    if (counters.forget(before)) revision.replace()
    labels.forget(before)
    seen.prepare()
    return seen.delete(day => day < before)
  })

  return {
    record(batch: ViewBatch, position?: LogPosition): RecordedViews {
      database.pragma(`synchronous = ${position ? lazily : atOnce}`)
      try {
        return recordInside.immediate(batch, position)
      } catch (error) {
        pages.forget()
        labels.discard()
        throw error
      }
    },
    ...openVisitReader({ database, pages, counters, revision }),
    reports: openVisitReports(database, { pages, counters, labels, seen, keys }),
    findPosition: positions.find,
    keys,
    prune: (before: Day) => prune.immediate(before),
    delete: database.transaction(() => {
      // Pages stay, because other processes identify them by number, and a number must never refer to another page.
      database.exec('DROP TABLE IF EXISTS seen')
      for (const table of tables) database.exec(`DELETE FROM ${table}`)
      revision.replace()
    }).immediate,
  }
}

/** Adds the views of all visitors to the days, and the resulting changes of the counters to `changes`. */
function addVisits(
  seen: SeenDaysTable,
  changes: CellChanges,
  visitors: ReturnType<typeof sortViews>,
): Pick<RecordedViews, 'newVisitorDays' | 'newViews'> {
  const history = new VisitorHistory(seen.days, changes)
  let newVisitorDays = 0
  for (const group of groupVisitors(visitors, visitorsAtATime)) {
    // The visitor may be in the group before too, and its days must be stored before they are read.
    if (group[0]?.isAgain) seen.flush()
    seen.days.prefetch(group.map(({ visitor }) => visitor))
    for (const { visitor, views } of group) newVisitorDays += history.add(visitor, views)
  }
  seen.flush()
  return { newVisitorDays, newViews: history.newViews }
}
