import { listVisited } from '../visits/visit-records.ts'
import type { BackedUpFile } from './manifest.ts'

/**
 * Returns a warning for each project whose visits were counted but are not in a backup.
 *
 * @param copy of the main database in the backup.
 * @param current the main database of the data folder.
 */
export function warnOfVisits(copy: string, current: string, added: ReadonlyMap<string, BackedUpFile>): string[] {
  const lost = listVisited(copy).visited.flatMap(projectId => {
    const path = `visits/${encodeURIComponent(projectId)}.db`
    const problem = describeProblem(added.get(path))
    return problem === null ? [] : [{ projectId, path, problem }]
  })
  if (lost.length === 0) return []
  // A project that was deleted since the copy has lost nothing.
  const now = new Set(listVisited(current).visited)
  return lost
    .filter(({ projectId }) => now.has(projectId))
    .map(
      ({ path, problem }) =>
        `${path} is ${problem} in the data folder, but visits of the project were counted. Restore it from an earlier backup.`,
    )
}

function describeProblem(file: BackedUpFile | undefined): string | null {
  if (!file) return 'missing'
  if (file.schema === undefined) return file.sizeBytes === 0 ? 'empty' : 'not a database'
  return file.schema === 0 ? 'without the tables of Quire' : null
}
