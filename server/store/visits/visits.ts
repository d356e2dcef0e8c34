import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Day } from '../../analytics/day.ts'
import type { DayRange, PageVisitors, UniqueVisitorCounter, VisitRecorder } from '../../analytics/unique-visitors.ts'
import type { VisitCountReader } from '../../analytics/visit-counts.ts'
import { OperatorError } from '../../base/operator-error.ts'
import type { Project } from '../../tenancy/project.ts'
import type { Database } from '../database.ts'
import { openSecret } from '../secret-file.ts'
import { openLogPositions } from './log-positions.ts'
import { moveOldVisits } from './old-visits.ts'
import type { DestroyedKeys, DestroyOptions } from './period-keys.ts'
import { openProjectVisits } from './project-visits.ts'
import { openVisitDatabases } from './visit-database.ts'
import { noCounts, noPages, noVisitors, type RankedPages } from './visit-reader.ts'
import { noReport } from './visit-reports.ts'
import { noRevision } from './visit-revision.ts'
import { createVisitorKeys, isRotating } from './visitor-keys.ts'

const noKeys: DestroyedKeys = { keys: 0, visitorDays: 0 }

export type Visits = UniqueVisitorCounter &
  VisitCountReader &
  VisitRecorder & {
    /** Deletes the visits of a project with their file; `deleteVisits` keeps the numbers of the pages. */
    deleteFile(projectId: string): void
    /** Destroys the visitor keys of a project's ended periods, see `openPeriodKeys`. May take seconds. */
    destroyKeys(project: Pick<Project, 'id' | 'visitorSaltRotation'>, options: DestroyOptions): DestroyedKeys
    close(): void
  }

/**
 * Opens the visits of a data folder without the main database, to count and prune visits. The visits are in the folder
 * `visits`, one file per project. The caller closes it.
 */
export function openVisitFiles(dataFolder: string) {
  const projects = openVisitDatabases(join(dataFolder, 'visits'), openProjectVisits)
  const reports: VisitCountReader = {
    findVisitedDays: projectId => projects.find(projectId)?.reports.findDays(),
    countRange: (projectId, range) => projects.find(projectId)?.reports.countRange(range) ?? noReport,
    countTotals: (projectId, ranges) =>
      projects.find(projectId)?.reports.countTotals(ranges) ?? ranges.map(() => noReport.totals),
  }
  return {
    projects,
    countUniqueVisitors: ((projectId, range, page) =>
      projects.find(projectId)?.count(range, page) ?? noVisitors) satisfies Visits['countUniqueVisitors'],
    findRevision: (projectId: string) => projects.find(projectId)?.findRevision() ?? noRevision,
    countAtRevision: (projectId: string, range: DayRange, page: { limit: number; offset: number }) =>
      projects.find(projectId)?.countAtRevision(range, page) ?? noCounts,
    rankPages: (projectId: string, range: DayRange) => projects.find(projectId)?.rankPages(range) ?? noPages,
    /** Lists the pages from `from` to `to` (exclusive) with their paths. */
    nameAll(projectId: string, { pages }: RankedPages, from: number, to: number): PageVisitors[] {
      if (from >= pages.numbers.length) return []
      const project = projects.find(projectId)
      if (!project) throw new Error(`The visits of ${projectId} were deleted.`)
      return project.nameAll(pages, from, to)
    },
    ...reports,
    pruneSeen: (projectId: string, before: Day) => projects.find(projectId)?.prune(before) ?? 0,
    destroyKeys: (({ id, visitorSaltRotation: rotation }, options) =>
      (isRotating(rotation) && projects.find(id)?.keys.destroy(rotation, options)) ||
      noKeys) satisfies Visits['destroyKeys'],
    close: projects.close,
  }
}

/** Opens all visits in the data folder of the database. The caller closes it. */
export function openVisits(database: Database): Visits {
  const dataFolder = dirname(database.name)
  const { projects, ...files } = openVisitFiles(dataFolder)
  const positions = openLogPositions(database)
  const findProject = database.prepare<{ id: string }>('SELECT 1 FROM projects WHERE id = @id')

  function takeProject(projectId: string) {
    if (!findProject.get({ id: projectId })) throw new Error(`There is no project ${projectId}.`)
    return projects.take(projectId)
  }

  const openKey = () => openVisitorKey(join(dataFolder, 'visitor.key'), projects.hasAny())
  const visits: Visits = {
    ...files,
    recordBatch: (projectId, batch, position) => takeProject(projectId).record(batch, position),
    recordLogPosition: positions.upsert,
    findLogPosition: (projectId, log) =>
      projectId === undefined ? positions.find(log) : projects.find(projectId)?.findPosition(log),
    deleteVisits: projectId => projects.find(projectId)?.delete(),
    deleteFile: projects.deleteFile,
    openVisitorKey: openKey,
    openVisitorKeys: (now = Date.now) =>
      createVisitorKeys({
        secret: openKey(),
        takeKeys: projectId => takeProject(projectId).keys,
        findKeys: projectId => projects.find(projectId)?.keys,
        now,
      }),
  }
  moveOldVisits(database, (projectId, batch) => {
    visits.recordBatch(projectId, batch)
    projects.take(projectId).keys.noteDerived()
  })
  return visits
}

function openVisitorKey(file: string, isInUse: boolean): Uint8Array {
  if (!existsSync(file) && isInUse) {
    throw new OperatorError(
      `${file} is missing, but visitors were counted with this key. A new key would count all of them again. ` +
        'Restore the file from a backup.',
    )
  }
  try {
    return openSecret(file)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reason =
      code === 'EACCES'
        ? `Permission denied for ${file}. Give the user of this process read and write access.`
        : message
    throw new OperatorError(reason, 1, { cause: error })
  }
}
