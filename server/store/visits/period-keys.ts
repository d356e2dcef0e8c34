import { randomBytes } from 'node:crypto'
import type { Day } from '../../analytics/day.ts'
import { type KeyPeriod, toKeyPeriod } from '../../analytics/visitor-keys.ts'
import { dayMs } from '../../base/day-ms.ts'
import type { SaltRotation } from '../../tenancy/project.ts'
import type { Database } from '../database.ts'
import { secretBytes } from '../secret-file.ts'
import type { openSeenDays } from './seen-days.ts'

/** The key of a period. `derived` = computed from `visitor.key`, as in the versions before random keys. */
export type PeriodKey = { source: 'random'; key: Uint8Array } | { source: 'derived' } | { source: 'destroyed' }

export interface DestroyOptions {
  /** Milliseconds since 1970. */
  now: number
  /** A key is destroyed this many days after its period ended or it was created, whichever is later. */
  graceDays: number
}

/** What was destroyed. */
export interface DestroyedKeys {
  keys: number
  /** Deleted rows of `seen`. */
  visitorDays: number
}

/** The days of a destroyed key; `to` is exclusive. */
export interface DestroyedDays {
  from: Day
  to: Day
}

/** A row of `period_keys`. */
export interface KeyRow {
  period: string
  from_day: Day
  to_day: Day
  source: 'random' | 'derived'
  key: Uint8Array | null
  created_at: number
  destroyed_at: number | null
}

/**
 * The random keys of a project's periods. They are in the file of the visits, so that one transaction destroys a key together
 * with the hashes that were made with it.
 */
export function openPeriodKeys(database: Database, seen: ReturnType<typeof openSeenDays>) {
  const { find, list, insert, clear, listDestroyed, hasDerivedDay, listDerivedDays, noteDerived } =
    prepareStatements(database)

  /** Creates a period with a random key, or with the derived key if it has visits that were hashed with it. */
  function create(period: KeyPeriod, now: number): KeyRow {
    const row = toKeyRow(period, hasDerivedDay.get(period) === undefined ? 'random' : 'derived', now)
    insert.run(row)
    return row
  }

  const take = database.transaction((period: KeyPeriod, now: number) => find.get(period.name) ?? create(period, now))

  const destroy = database.transaction((rotation: Exclude<SaltRotation, 'never'>, options: DestroyOptions) => {
    for (const day of listDerivedDays.all()) {
      const period = toKeyPeriod(day, rotation)
      if (!find.get(period.name)) create(period, options.now)
    }
    const { kept, ended, isChanged } = endPeriods(list.all(), options)
    if (isChanged) {
      // Deleting one row would leave copies in the unused part of pages that were split. Deleting all of them overwrites each
      // page of the table.
      clear.run()
      for (const row of kept) insert.run(row)
    }
    if (ended.length === 0) return { keys: 0, visitorDays: 0 }
    seen.prepare()
    const isEnded = (day: Day) => ended.some(({ from_day, to_day }) => day >= from_day && day < to_day)
    return { keys: ended.length, visitorDays: seen.delete(isEnded) }
  })

  return {
    /** Returns the key of a period, and creates it if there is none. Other processes get the same key. */
    take: (period: KeyPeriod, now: number): PeriodKey =>
      toPeriodKey(find.get(period.name) ?? take.immediate(period, now)),
    /** Whether the project has visits that were hashed with keys derived from `visitor.key`. */
    hasDerived: () => hasDerivedDay.get({ from: 0, to: Number.MAX_SAFE_INTEGER }) !== undefined,
    /** Records that all visits so far were hashed with keys derived from `visitor.key`. */
    noteDerived: () => void noteDerived.run(),
    /** Lists the days whose keys were destroyed. */
    listDestroyed: () => listDestroyed.all(),
    /**
     * Destroys the keys of ended periods, and deletes the hashes that were made with them. The counters stay exact without
     * them, because the views of these days are refused from then on.
     */
    destroy(rotation: Exclude<SaltRotation, 'never'>, options: DestroyOptions): DestroyedKeys {
      return deleteSecurely(database, () => destroy.immediate(rotation, options))
    },
  }
}

/** Returns the row of a new key. */
export function toKeyRow({ name, from, to }: KeyPeriod, source: KeyRow['source'], now: number): KeyRow {
  const key = source === 'random' ? randomBytes(secretBytes) : null
  return { period: name, from_day: from, to_day: to, source, key, created_at: now, destroyed_at: null }
}

/** Runs a transaction whose deletions leave nothing in the database file and in its log. */
function deleteSecurely<T>(database: Database, work: () => T): T {
  const secureDelete = database.pragma('secure_delete', { simple: true })
  // SQLite overwrites what it deletes with zeros.
  database.pragma('secure_delete = ON')
  try {
    return work()
  } finally {
    database.pragma(`secure_delete = ${secureDelete}`)
    // The log of transactions still has the old content. While a reader uses the log it stays; the next call empties it.
    database.pragma('wal_checkpoint(TRUNCATE)')
  }
}

function prepareStatements(database: Database) {
  return {
    find: database.prepare<[string], KeyRow>('SELECT * FROM period_keys WHERE period = ?'),
    list: database.prepare<[], KeyRow>('SELECT * FROM period_keys ORDER BY period'),
    insert: database.prepare<KeyRow>(
      `INSERT INTO period_keys (period, from_day, to_day, source, key, created_at, destroyed_at)
       VALUES (@period, @from_day, @to_day, @source, @key, @created_at, @destroyed_at)`,
    ),
    clear: database.prepare('DELETE FROM period_keys'),
    listDestroyed: database.prepare<[], DestroyedDays>(
      'SELECT from_day AS "from", to_day AS "to" FROM period_keys WHERE destroyed_at IS NOT NULL ORDER BY from_day',
    ),
    hasDerivedDay: database
      .prepare<{ from: Day; to: Day }, number>('SELECT 1 FROM derived_days WHERE day >= @from AND day < @to LIMIT 1')
      .pluck(),
    listDerivedDays: database.prepare<[], Day>('SELECT day FROM derived_days ORDER BY day').pluck(),
    noteDerived: database.prepare('INSERT OR IGNORE INTO derived_days (day) SELECT day FROM day_counters'),
  }
}

/** Marks the keys of ended periods as destroyed. `kept` has all rows. */
export function endPeriods(rows: readonly KeyRow[], { now, graceDays }: DestroyOptions) {
  const before = now - graceDays * dayMs
  const kept = rows.map(row => {
    // A time of creation in the future shows that the clock was ahead then; the key must not live until that time.
    const aged = { ...row, created_at: Math.min(row.created_at, now) }
    return isOver(aged, before) ? { ...aged, key: null, destroyed_at: now } : aged
  })
  const ended = kept.filter((row, i) => row.destroyed_at !== rows[i]?.destroyed_at)
  return { kept, ended, isChanged: kept.some((row, i) => row.created_at !== rows[i]?.created_at) || ended.length > 0 }
}

function isOver({ to_day, created_at, destroyed_at }: KeyRow, before: number): boolean {
  return destroyed_at === null && to_day * dayMs <= before && created_at <= before
}

/** Returns the key of a row. */
export function toPeriodKey({ key, destroyed_at }: KeyRow): PeriodKey {
  if (destroyed_at !== null) return { source: 'destroyed' }
  return key === null ? { source: 'derived' } : { source: 'random', key }
}
