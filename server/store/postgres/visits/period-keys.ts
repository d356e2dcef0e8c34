import type { Day } from '../../../analytics/day.ts'
import { type KeyPeriod, toKeyPeriod } from '../../../analytics/visitor-keys.ts'
import { UnavailableError } from '../../../base/unavailable-error.ts'
import type { SaltRotation } from '../../../tenancy/project.ts'
import {
  type DestroyedDays,
  type DestroyedKeys,
  type DestroyOptions,
  endPeriods,
  type KeyRow,
  type PeriodKey,
  toKeyRow,
  toPeriodKey,
} from '../../visits/period-keys.ts'
import type { Database } from '../database.ts'
import { statement } from '../statement.ts'
import { deleteDays } from './seen-deletion.ts'
import { slowly } from './slowly.ts'
import { addVisited, changeVisited, findVisited } from './visited-projects.ts'

type StoredRow = KeyRow & { is_cleared: boolean }

interface ClearedPeriods {
  project: number
  periods: readonly string[]
}

const find = statement<{ projectId: string; period: string }, KeyRow>(
  `SELECT period_keys.* FROM period_keys JOIN visited_projects ON visited_projects.key = project_key
   WHERE project_id = @projectId AND period = @period`,
)
const list = slowly<{ project: number }, StoredRow>(
  'SELECT * FROM period_keys WHERE project_key = @project ORDER BY period',
)
const insert = slowly<KeyRow & { project: number }>(
  `INSERT INTO period_keys (project_key, period, from_day, to_day, source, key, created_at, destroyed_at)
   SELECT key, @period::text, @from_day::integer, @to_day::integer, @source::text, @key::bytea, @created_at::bigint,
     @destroyed_at::bigint
   FROM visited_projects WHERE visited_projects.key = @project FOR KEY SHARE
   ON CONFLICT (project_key, period) DO NOTHING`,
  { isRepeatable: true },
)
const update = slowly<Pick<KeyRow, 'period' | 'key' | 'created_at' | 'destroyed_at'> & { project: number }>(
  `UPDATE period_keys SET key = @key, created_at = @created_at, destroyed_at = @destroyed_at
   WHERE project_key = @project AND period = @period`,
)
const setCleared = slowly<ClearedPeriods>(
  'UPDATE period_keys SET is_cleared = true WHERE project_key = @project AND period = ANY(@periods::text[])',
)
// A truncated table gets a new file. VACUUM (FULL) and CLUSTER copy old versions too while any transaction of the server is older.
const copyRows = `
  CREATE TEMPORARY TABLE kept_keys ON COMMIT DROP AS SELECT * FROM period_keys;
  TRUNCATE period_keys;
  INSERT INTO period_keys SELECT * FROM kept_keys ORDER BY project_key, period`
export const listDestroyed = slowly<{ project: number }, DestroyedDays>(
  `SELECT from_day AS "from", to_day AS "to" FROM period_keys
   WHERE project_key = @project AND destroyed_at IS NOT NULL ORDER BY from_day`,
)
const listDerived = slowly<{ project: number; from: Day; to: Day; limit: number | null }, { day: Day }>(
  `SELECT day FROM derived_days WHERE project_key = @project AND day >= @from AND day < @to ORDER BY day LIMIT @limit`,
)
const listDerivedProjects = slowly<object, { id: string }>(
  `SELECT project_id AS id FROM visited_projects
   WHERE EXISTS (SELECT FROM derived_days WHERE derived_days.project_key = visited_projects.key)`,
)
const everyDay = { from: 0, to: 2 ** 31 - 1, limit: null }

/**
 * Returns the key of a period, and creates it if there is none. All nodes get the same key. Does not wait for the lock of the project: a
 * batch may hold it in the thread that waits for the key, and could not end.
 *
 * @throws {Error} when the project does not exist.
 */
export async function takePeriodKey(
  database: Database,
  projectId: string,
  period: KeyPeriod,
  now: number,
): Promise<PeriodKey> {
  for (;;) {
    const known = await database.get(find, { projectId, period: period.name })
    if (known) return toPeriodKey(known)
    const project = await findVisited(database, projectId)
    if (project) await create(database, project.key, period, now)
    else await addVisited(database, projectId)
  }
}

/**
 * Creates a period with a random key, or with the derived key if it has visits that were hashed with it. Does nothing if there is one, or
 * the project is being deleted.
 */
async function create(database: Database, project: number, period: KeyPeriod, now: number): Promise<void> {
  const { from, to } = period
  const derived = await database.get(listDerived, { project, from, to, limit: 1 })
  await database.run(insert, { project, ...toKeyRow(period, derived ? 'derived' : 'random', now) })
}

/** Lists the projects that have visits that were hashed with keys derived from `visitor.key`. */
export async function listDerivedIds(database: Database): Promise<ReadonlySet<string>> {
  return new Set((await database.all(listDerivedProjects, {})).map(({ id }) => id))
}

/** Lists the days whose keys were destroyed. */
export function listDestroyedDays(within: Database, project: number): Promise<DestroyedDays[]> {
  return within.all(listDestroyed, { project })
}

/**
 * Destroys the keys of ended periods, and deletes the hashes that were made with them. The counters stay exact without them, because the
 * views of these days are refused from then on. A call that was interrupted, or that could not write the table of the keys again, is
 * finished by the next one.
 */
export async function destroyPeriodKeys(
  database: Database,
  projectId: string,
  rotation: Exclude<SaltRotation, 'never'>,
  options: DestroyOptions,
): Promise<DestroyedKeys> {
  const keys = await changeVisited(database, projectId, (within, { key }) => end(within, key, rotation, options))
  const project = keys === undefined ? undefined : await findVisited(database, projectId)
  if (keys === undefined || !project) return { keys: 0, visitorDays: 0 }
  const ended = (await database.all(list, { project: project.key })).filter(
    ({ destroyed_at, is_cleared }) => destroyed_at !== null && !is_cleared,
  )
  if (ended.length === 0) return { keys, visitorDays: 0 }
  const visitorDays = await deleteDays(database, projectId, {
    before: Math.max(...ended.map(({ to_day }) => to_day)),
    isDeleted: day => ended.some(({ from_day, to_day }) => day >= from_day && day < to_day),
  })
  await rewriteTable(database, { project: project.key, periods: ended.map(({ period }) => period) })
  return { keys, visitorDays }
}

/**
 * Writes the small table of the keys again, and notes which periods are cleared, because the old version of a changed row stays in the
 * file. The log of transactions and the backups of the server still have the key until they are deleted. Does nothing if others use the
 * table for too long: whoever comes after this waits as well.
 */
async function rewriteTable(database: Database, cleared: ClearedPeriods): Promise<void> {
  try {
    await database.atomically(async within => {
      await within.exec("SET LOCAL lock_timeout = '2s'")
      await within.exec('LOCK TABLE period_keys IN ACCESS EXCLUSIVE MODE')
      await within.run(setCleared, cleared)
      await within.exec(copyRows)
    })
  } catch (error) {
    if (!(error instanceof UnavailableError && error.reason === 'locked')) throw error
  }
}

/** Returns the number of keys. */
async function end(
  within: Database,
  project: number,
  rotation: Exclude<SaltRotation, 'never'>,
  options: DestroyOptions,
): Promise<number> {
  const known = new Set((await within.all(list, { project })).map(({ period }) => period))
  for (const { day } of await within.all(listDerived, { project, ...everyDay })) {
    const period = toKeyPeriod(day, rotation)
    if (known.has(period.name)) continue
    known.add(period.name)
    await create(within, project, period, options.now)
  }
  const rows = await within.all(list, { project })
  const { kept, ended, isChanged } = endPeriods(rows, options)
  if (!isChanged) return 0
  for (const [i, row] of kept.entries()) {
    const before = rows[i] as StoredRow
    if (row.created_at === before.created_at && row.destroyed_at === before.destroyed_at) continue
    await within.run(update, { project, ...row })
  }
  return ended.length
}
