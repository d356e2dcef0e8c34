import { randomBytes } from 'node:crypto'
import type { Day } from '../../../analytics/day.ts'
import type { Database } from '../database.ts'
import { statement } from '../statement.ts'
import { slowly } from './slowly.ts'

/** What is known about the visits of a project. */
export interface VisitedProject {
  key: number
  /** In hexadecimal digits. */
  revision: string
  keptFrom: Day
  deletedBefore: Day
  labelledFrom: Day | null
}

export const revisionBytes = 16

const columns = `key, upper(encode(revision, 'hex')) AS revision, kept_from AS "keptFrom", deleted_before AS "deletedBefore",
  labelled_from AS "labelledFrom"`
const find = statement<{ projectId: string }, VisitedProject>(
  `SELECT ${columns} FROM visited_projects WHERE project_id = @projectId`,
)
const lock = slowly<{ projectId: string }, VisitedProject>(
  `SELECT ${columns} FROM visited_projects WHERE project_id = @projectId FOR NO KEY UPDATE`,
)
const hasProject = statement<{ projectId: string }, object>('SELECT 1 FROM projects WHERE id = @projectId')
const insert = slowly<{ projectId: string; revision: Uint8Array }>(
  'INSERT INTO visited_projects (project_id, revision) VALUES (@projectId, @revision) ON CONFLICT (project_id) DO NOTHING',
  { isRepeatable: true },
)
const replaceRevision = slowly<{ key: number; revision: Uint8Array }>(
  'UPDATE visited_projects SET revision = @revision WHERE key = @key',
)

/**
 * An import waits so long for another import into the same project, which releases its lock after each batch. The time between two
 * statements is for computing.
 */
const patience = "SET LOCAL lock_timeout = '60s'; SET LOCAL idle_in_transaction_session_timeout = '120s'"

/** Returns undefined if the project never had a visit. */
export function findVisited(database: Database, projectId: string): Promise<VisitedProject | undefined> {
  return database.get(find, { projectId })
}

/** Runs a change of the visits of a project in a transaction; other changes wait for it. Returns undefined if it has no visits. */
export function changeVisited<T>(
  database: Database,
  projectId: string,
  work: (within: Database, project: VisitedProject) => Promise<T>,
): Promise<T | undefined> {
  return database.atomically(async within => {
    await within.exec(patience)
    const project = await within.get(lock, { projectId })
    return project && work(within, project)
  })
}

/**
 * The same, also for the first visits of a project. Not for the work of a transaction.
 *
 * @throws {Error} when the project does not exist.
 */
export async function changeVisits<T>(
  database: Database,
  projectId: string,
  work: (within: Database, project: VisitedProject) => Promise<T>,
): Promise<T> {
  for (;;) {
    const done = await changeVisited(database, projectId, async (...given) => ({ result: await work(...given) }))
    if (done) return done.result
    await addVisited(database, projectId)
  }
}

/**
 * Stores that a project has visits, if that is not known. A transaction must not do it, because whoever takes the first key of the
 * project would wait for its end.
 *
 * @throws {Error} when the project does not exist.
 */
export async function addVisited(database: Database, projectId: string): Promise<void> {
  if (!(await database.get(hasProject, { projectId }))) throw new Error(`There is no project ${projectId}.`)
  await database.run(insert, { projectId, revision: randomBytes(revisionBytes) })
}

/** Called in every transaction that changes a counter. */
export async function changeRevision(within: Database, { key }: VisitedProject): Promise<void> {
  await within.run(replaceRevision, { key, revision: randomBytes(revisionBytes) })
}

/** Runs several reads on what was committed at one instant. */
export function readAtOnce<T>(database: Database, work: (within: Database) => Promise<T>): Promise<T> {
  return database.atomically(async within => {
    await within.exec(
      "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY; SET LOCAL idle_in_transaction_session_timeout = '120s'",
    )
    return work(within)
  })
}
