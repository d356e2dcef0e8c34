import { dayMs } from '../base/day-ms.ts'
import {
  maxHours,
  parseRhythm,
  type ScheduleOutcome,
  type SiteSchedule,
  type SiteSchedules,
} from '../tenancy/site-schedule.ts'
import { all, get, run, sql, type Works } from './noun.ts'

/** A row of the table `site_schedules`. */
interface SiteScheduleRow {
  domain: string
  rhythm: string
  only_if_changed: number
  next_at: number
  fingerprint: string | null
  job_id: string | null
  started_at: number | null
  outcome: ScheduleOutcome['kind'] | null
  outcome_at: number | null
  problem: string | null
}

function toSchedule(row: SiteScheduleRow): SiteSchedule {
  const { domain, fingerprint, outcome, problem } = row
  return {
    domain,
    rhythm: parseRhythm(row.rhythm),
    onlyIfChanged: row.only_if_changed === 1,
    nextAt: row.next_at,
    fingerprint,
    jobId: row.job_id,
    startedAt: row.started_at,
    outcome: outcome === null || row.outcome_at === null ? null : { kind: outcome, at: row.outcome_at, problem },
  }
}

/** A start that is later than this was planned before the clock was set back. */
const maxAheadMs = maxHours * 60 * 60 * 1000 + dayMs

const find = sql<{ domain: string }, SiteScheduleRow>('SELECT * FROM site_schedules WHERE domain = @domain')
const put = sql<Pick<SiteScheduleRow, 'domain' | 'rhythm' | 'only_if_changed' | 'next_at'>>(
  `INSERT INTO site_schedules (domain, rhythm, only_if_changed, next_at)
   VALUES (@domain, @rhythm, @only_if_changed, @next_at)
   ON CONFLICT (domain) DO UPDATE
   SET rhythm = excluded.rhythm, only_if_changed = excluded.only_if_changed, next_at = excluded.next_at`,
  { isRepeatable: true },
)
const remove = sql<{ domain: string }>('DELETE FROM site_schedules WHERE domain = @domain')
const listDue = sql<{ now: number; limit: number }, SiteScheduleRow & { organization_id: string }>(
  `SELECT site_schedules.*, projects.organization_id FROM site_schedules
   JOIN sites ON sites.domain = site_schedules.domain JOIN projects ON projects.id = sites.project_id
   WHERE next_at <= @now OR next_at > CAST(@now AS bigint) + ${maxAheadMs} ORDER BY next_at, site_schedules.domain LIMIT @limit`,
)
const listRefused = sql<{ organizationId: string; limit: number }, SiteScheduleRow>(
  `SELECT site_schedules.* FROM site_schedules
   JOIN sites ON sites.domain = site_schedules.domain JOIN projects ON projects.id = sites.project_id
   WHERE organization_id = @organizationId AND outcome = 'refused'
   ORDER BY outcome_at DESC, site_schedules.domain LIMIT @limit`,
)
const claim = sql<{ domain: string; dueAt: number; nextAt: number }>(
  'UPDATE site_schedules SET next_at = @nextAt WHERE domain = @domain AND next_at = @dueAt',
)
const record = sql<Pick<SiteScheduleRow, 'domain' | 'outcome' | 'outcome_at' | 'problem' | 'fingerprint' | 'job_id'>>(
  `UPDATE site_schedules SET outcome = @outcome, outcome_at = @outcome_at, problem = @problem,
     job_id = coalesce(@job_id, job_id),
     started_at = CASE WHEN CAST(@job_id AS text) IS NULL THEN started_at ELSE @outcome_at END,
     fingerprint = CASE WHEN CAST(@job_id AS text) IS NULL THEN fingerprint ELSE @fingerprint END
   WHERE domain = @domain`,
  { isRepeatable: true },
)

export const siteSchedules: Works<SiteSchedules> = {
  *find(domain) {
    const row = yield* get(find, { domain })
    return row && toSchedule(row)
  },
  *put(domain, { rhythm, onlyIfChanged }, nextAt) {
    const row = { domain, rhythm: rhythm.text, only_if_changed: +onlyIfChanged, next_at: nextAt }
    yield* run(put, row)
  },
  *delete(domain) {
    return (yield* run(remove, { domain })) === 1
  },
  *listDue(now, limit) {
    const rows = yield* all(listDue, { now, limit })
    return rows.map(row => ({ ...toSchedule(row), organizationId: row.organization_id }))
  },
  *listRefused(organizationId, limit) {
    return (yield* all(listRefused, { organizationId, limit })).map(toSchedule)
  },
  *claim(domain, dueAt, nextAt) {
    return (yield* run(claim, { domain, dueAt, nextAt })) === 1
  },
  *record(domain, { kind, at, problem }, { jobId, fingerprint } = { jobId: null, fingerprint: null }) {
    yield* run(record, { domain, outcome: kind, outcome_at: at, problem, job_id: jobId, fingerprint })
  },
}
