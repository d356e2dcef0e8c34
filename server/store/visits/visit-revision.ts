import type { Revision } from '../../analytics/unique-visitors.ts'
import type { Database } from '../database.ts'

/** The revision of a project that never had a visit. Its answers are always the same: no visitors. */
export const noRevision: Revision = ''

export type VisitRevision = ReturnType<typeof openVisitRevision>

/** Opens the revision of a project's counts. */
export function openVisitRevision(database: Database) {
  const find = database.prepare<[], Revision>('SELECT hex(value) FROM revision').pluck()
  const replace = database.prepare('UPDATE revision SET value = randomblob(16)')
  return {
    find: () => find.get() as Revision,
    /** Called in every transaction that changes a counter. */
    replace: (): void => void replace.run(),
  }
}
