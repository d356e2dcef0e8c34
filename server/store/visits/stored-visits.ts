import type { UniqueVisitorCounter, VisitRecorder } from '../../analytics/unique-visitors.ts'
import type { VisitCountReader } from '../../analytics/visit-counts.ts'
import type { Awaitable } from '../../base/awaitable.ts'
import type { Project } from '../../tenancy/project.ts'
import type { DestroyedKeys, DestroyOptions } from './period-keys.ts'

/** The visits of all projects in a store. */
export interface StoredVisits extends UniqueVisitorCounter, VisitCountReader, VisitRecorder {
  /** Deletes the visits of a project with the numbers of its pages, which `deleteVisits` keeps. */
  deleteFile(projectId: string): Awaitable<void>
  /** Destroys the visitor keys of a project's ended periods, see `openPeriodKeys`. May take seconds. */
  destroyKeys(project: Pick<Project, 'id' | 'visitorSaltRotation'>, options: DestroyOptions): Awaitable<DestroyedKeys>
  /** Lists the projects whose visits are missing, empty or not a database. Reads only the beginning of each file. */
  listLost(): Awaitable<LostVisits[]>
}

/** A project that had visits, and its file. */
export interface LostVisits {
  projectId: string
  file: string
  problem: 'missing' | 'empty' | 'not a database'
}
