import { CellChanges } from '../../../analytics/counters/cell-changes.ts'
import { groupLabels } from '../../../analytics/counters/label-sets.ts'
import { sortViews } from '../../../analytics/counters/sorted-views.ts'
import type { LogPosition, RecordedViews } from '../../../analytics/unique-visitors.ts'
import type { ViewBatch } from '../../../analytics/view-batch.ts'
import { visitorBytes } from '../../../analytics/visitor.ts'
import { BoundedCache } from '../../../base/bounded-cache.ts'
import { countViews, dropDestroyed } from '../../visits/kept-views.ts'
import type { Database } from '../database.ts'
import { addVisits } from './add-visits.ts'
import { putLogPosition } from './log-positions.ts'
import { listDestroyedDays } from './period-keys.ts'
import { deleteDaysOf } from './seen-deletion.ts'
import { addLabels } from './seen-labels.ts'
import { applyChanges } from './visit-counters.ts'
import { takePages } from './visit-pages.ts'
import { changeRevision, changeVisits, type VisitedProject } from './visited-projects.ts'

const maxKnownPages = 50_000
const maxKnownProjects = 32

/**
 * Does not wait for the disk: a power cut may lose the last batches together with the log position, so they are read again. Batches that
 * wait for the disk later make the earlier ones safe too.
 */
const lazily = 'SET LOCAL synchronous_commit = off'

type KnownPages = BoundedCache<string, { number: number; id: number }>

/** Records batches of views, each in one transaction. */
export function openBatchRecorder(database: Database, node: string) {
  /** Recent pages by the key of their project. */
  const known = new BoundedCache<number, KnownPages>(maxKnownProjects)

  return (projectId: string, given: ViewBatch, position?: LogPosition): Promise<RecordedViews> =>
    changeVisits(database, projectId, async (within, project) => {
      if (position) await within.exec(lazily)
      const pagesBefore = known.get(project.key) ?? new BoundedCache(maxKnownPages)
      const { pages, ...recorded } = await record(within, project, given, pagesBefore)
      if (position) await putLogPosition(within, project.key, node, position)
      // If the transaction is undone, the new pages are not known.
      return { ...recorded, pages, project }
    }).then(({ pages, project, ...recorded }) => {
      const pagesNow: KnownPages = known.get(project.key) ?? new BoundedCache(maxKnownPages)
      for (const [path, page] of pages) pagesNow.set(path, page)
      known.set(project.key, pagesNow)
      return recorded
    })
}

async function record(within: Database, project: VisitedProject, given: ViewBatch, known: KnownPages) {
  const { key, keptFrom } = project
  const batch = dropDestroyed(given, await listDestroyedDays(within, key))
  if (project.deletedBefore < keptFrom) {
    const isDeleted = (day: number) => day < keptFrom
    await deleteDaysOf(within, key, listVisitors(batch), { before: keptFrom, isDeleted })
  }
  const pages = await takePages(within, key, batch.paths, known)
  const changes = new CellChanges()
  const newVisitorDays = await addVisits(within, key, changes, sortViews(batch, pages.numbers, keptFrom))
  const idOf = (page: number) => pages.ids.get(page) as number
  if (await applyChanges(within, key, changes, idOf)) await changeRevision(within, project)
  await addLabels(within, key, groupLabels(batch, keptFrom))
  return { newVisitorDays, tooOldViews: countViews(given) - countViews(batch, keptFrom), pages: pages.found }
}

function* listVisitors({ visitors }: ViewBatch): Generator<Uint8Array> {
  for (let at = 0; at < visitors.length; at += visitorBytes) yield visitors.subarray(at, at + visitorBytes)
}
