import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Day } from '../../analytics/day.ts'
import type { DayRange, PageVisitors, VisitorCounts } from '../../analytics/unique-visitors.ts'
import type { AgentPages, RangeCounts, VisitCountReader, VisitedDays } from '../../analytics/visit-counts.ts'
import type { LabelChoice, VisitFilter } from '../../analytics/visit-filter.ts'
import type { Project } from '../../tenancy/project.ts'
import type { Database } from '../database.ts'
import { deleteUpgradeCopies } from '../upgrade-copies.ts'
import { openLogPositions } from './log-positions.ts'
import { moveOldVisits } from './old-visits.ts'
import type { DestroyedKeys, DestroyOptions } from './period-keys.ts'
import { openProjectVisits } from './project-visits.ts'
import type { LostVisits, StoredVisits } from './stored-visits.ts'
import { openVisitDatabases } from './visit-database.ts'
import { noCounts, noPages, noVisitors, type RankedPages, type Window } from './visit-reader.ts'
import { findFileProblem, type IsVisited, openVisitRecords, readVisitRecords } from './visit-records.ts'
import { noAgentPages, nobody, noReport } from './visit-reports.ts'
import { noRevision } from './visit-revision.ts'
import { openVisitorKey } from './visitor-key.ts'
import { createVisitorKeys, isRotating } from './visitor-keys.ts'

const noKeys: DestroyedKeys = { keys: 0, visitorDays: 0 }

/** The visits of a data folder. Reading them is synchronous. */
export interface Visits extends Omit<StoredVisits, keyof ReadCounts>, ReadCounts {
  deleteFile(projectId: string): void
  destroyKeys(project: Pick<Project, 'id' | 'visitorSaltRotation'>, options: DestroyOptions): DestroyedKeys
  listLost(): LostVisits[]
  close(): void
}

interface ReadCounts extends VisitCountReader {
  findVisitedDays(projectId: string): VisitedDays | undefined
  countRange(projectId: string, range: DayRange): RangeCounts
  countLabels(projectId: string, range: DayRange, choice?: LabelChoice): Map<string, number>
  readAgentPages(projectId: string, range: DayRange, filter?: VisitFilter): AgentPages
  countTotals(projectId: string, ranges: readonly DayRange[], filter?: VisitFilter): VisitorCounts[]
}

/**
 * Opens the visits of a data folder without the main database, to count and prune visits. The visits are in the folder
 * `visits`, one file per project. The caller closes it.
 *
 * @param records what the main database records about visits.
 */
export function openVisitFiles(
  dataFolder: string,
  records: { isVisited: IsVisited; close?(): void } = readVisitRecords(dataFolder),
  patienceMs?: number,
) {
  const projects = openVisitDatabases(join(dataFolder, 'visits'), openProjectVisits, records.isVisited, patienceMs)
  const reports: ReadCounts = {
    findVisitedDays: projectId => projects.find(projectId)?.reports.findDays(),
    countRange: (projectId, range) => projects.find(projectId)?.reports.countRange(range) ?? noReport,
    countLabels: (projectId, range, choice) =>
      projects.find(projectId)?.reports.countLabels(range, choice) ?? new Map<string, number>(),
    readAgentPages: (projectId, range, filter) =>
      projects.find(projectId)?.reports.readAgentPages(range, filter) ?? noAgentPages,
    countTotals: (projectId, ranges, filter) =>
      projects.find(projectId)?.reports.countTotals(ranges, filter) ?? ranges.map(() => nobody),
  }
  return {
    projects,
    countUniqueVisitors: ((projectId, range, page) =>
      projects.find(projectId)?.count(range, page) ?? noVisitors) satisfies Visits['countUniqueVisitors'],
    findRevision: (projectId: string) => projects.find(projectId)?.findRevision() ?? noRevision,
    countAtRevision: (projectId: string, range: DayRange, page: Window) =>
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
    close(): void {
      projects.close()
      records.close?.()
    },
  }
}

/** Opens all visits in the data folder of the database. The caller closes it. */
export function openVisits(database: Database, patienceMs?: number): Visits {
  const dataFolder = dirname(database.name)
  const records = openVisitRecords(database)
  const { projects, ...files } = openVisitFiles(dataFolder, { isVisited: records.isVisited }, patienceMs)
  const positions = openLogPositions(database)

  function takeProject(projectId: string) {
    const isVisited = records.isVisited(projectId)
    if (!isVisited && !records.hasProject(projectId)) throw new Error(`There is no project ${projectId}.`)
    const project = projects.take(projectId)
    // After the file exists. If the process were killed between, a record without a file would look like a loss.
    if (!isVisited) records.put(projectId, true)
    return project
  }

  /** Also forgets that there were visits, so that a missing file is no longer a loss. */
  function deleteVisits(projectId: string): void {
    const isVisited = records.isVisited(projectId)
    if (isVisited) records.put(projectId, false)
    try {
      projects.find(projectId)?.delete()
      deleteUpgradeCopies(projects.fileOf(projectId))
    } catch (error) {
      if (isVisited) records.put(projectId, true)
      throw error
    }
  }

  const openKey = () => openVisitorKey(join(dataFolder, 'visitor.key'), projects.hasAny())
  const visits: Visits = {
    ...files,
    recordBatch: (projectId, batch, position) => takeProject(projectId).record(batch, position),
    recordLogPosition: positions.upsert,
    findLogPosition: (projectId, log) =>
      projectId === undefined ? positions.find(log) : projects.find(projectId)?.findPosition(log),
    deleteVisits,
    deleteFile(projectId) {
      if (records.isVisited(projectId)) records.put(projectId, false)
      projects.deleteFile(projectId)
    },
    listLost: () =>
      records.listVisited().flatMap(projectId => {
        const file = projects.fileOf(projectId)
        const problem = findFileProblem(file)
        return problem === null ? [] : [{ projectId, file, problem }]
      }),
    openVisitorKey: openKey,
    openVisitorKeys: (now = Date.now) =>
      createVisitorKeys({
        secret: openKey(),
        takeKeys: projectId => takeProject(projectId).keys,
        findKeys: projectId => projects.find(projectId)?.keys,
        now,
      }),
  }
  // After the move, because its connection reads the old visits meanwhile and cannot write.
  for (const projectId of moveAll(database, projects.take)) records.put(projectId, true)
  records.complete(projectId => existsSync(projects.fileOf(projectId)))
  return visits
}

/** Moves the visits that an old version kept in the main database. Returns the projects. */
function moveAll(database: Database, take: (projectId: string) => ReturnType<typeof openProjectVisits>): Set<string> {
  const moved = new Set<string>()
  moveOldVisits(database, (projectId, batch) => {
    const project = take(projectId)
    project.record(batch)
    project.keys.noteDerived()
    moved.add(projectId)
  })
  return moved
}
