import type { Stoppable } from '../../base/background.ts'
import { digestJson } from '../../base/digest.ts'
import { createQueue } from '../../base/queue.ts'
import { repeat } from '../../base/timer.ts'
import type { Site, Sites } from '../../tenancy/site.ts'
import { nextStart, type ScheduleOutcome, type SiteSchedule, type SiteSchedules } from '../../tenancy/site-schedule.ts'
import type { ExportJobs } from './export-job.ts'

type DueSchedule = SiteSchedule & { organizationId: string }

export interface SchedulerDeps {
  siteSchedules: SiteSchedules
  sites: Pick<Sites, 'find'>
  exportJobs: Pick<ExportJobs, 'find' | 'listPage'>
  /** See `readSiteFingerprint`. Must not block this thread, whatever the site answers. */
  readFingerprint(site: Site, signal: AbortSignal): Promise<string | null>
  /**
   * Starts an export as a client of the API does.
   *
   * @returns why it is refused, in a sentence.
   */
  start(due: { organizationId: string; domain: string }): Promise<{ jobId: string } | { problem: string }>
  now(): number
  log: Record<'info' | 'warn' | 'error', (details: object, message: string) => void>
}

const everyMs = 60_000
/** Schedules that are looked at in one run, and at once: each may ask a slow site. */
const maxDue = 500
const atOnce = 4
const failed = 'The server could not start the export. Look for the cause in its log.'

/** Starts the exports of sites that are due, now and every minute. `stop` waits for those that are being started. */
export function startScheduler(deps: SchedulerDeps): Stoppable {
  const stopping = new AbortController()
  const repetition = repeat(everyMs, () => startDue(deps, stopping.signal), {
    startsNow: true,
    onError: err => deps.log.error({ err }, 'could not look for exports that are due; it tries again in a minute'),
  })
  return {
    stop() {
      stopping.abort()
      return repetition.stop()
    },
  }
}

/** What the scheduler does each time. The schedules that are not claimed when it stops stay due. A failure of one does not end the others. */
export async function startDue(deps: SchedulerDeps, signal: AbortSignal): Promise<void> {
  const queue = createQueue(atOnce)
  const due = await deps.siteSchedules.listDue(deps.now(), maxDue)
  const start = async (each: DueSchedule) => {
    try {
      if (!signal.aborted) await startOne(deps, each, signal)
    } catch (err) {
      deps.log.error(
        { err, domain: each.domain },
        'could not claim a start that is due, or could not record its result',
      )
    }
  }
  await Promise.all(due.map(each => queue.add(() => start(each))))
}

/**
 * Claims the start that is due, and makes it. A server that is killed after the claim loses this start, and no server makes it twice.
 * After downtime, one start replaces those that were missed.
 */
async function startOne(deps: SchedulerDeps, due: DueSchedule, signal: AbortSignal): Promise<void> {
  const { siteSchedules, now, log } = deps
  const { domain, nextAt } = due
  const claimedAt = nextStart(due.rhythm, now(), nextAt)
  if (!(await siteSchedules.claim(domain, nextAt, claimedAt))) return
  const decision = await decide(deps, due, signal).catch(
    (err: unknown): Decision => ({ kind: 'refused', problem: failed, err }),
  )
  if (decision === 'stopped') {
    await siteSchedules.claim(domain, claimedAt, nextAt)
    return
  }
  const { kind, problem = null, started, err } = decision
  const level = err === undefined ? levels[kind] : 'error'
  log[level]({ err, domain, problem, jobId: started?.jobId }, messages[kind])
  await siteSchedules.record(domain, { kind, at: now(), problem }, started)
}

const levels = { started: 'info', unchanged: 'info', active: 'info', refused: 'warn' } as const
const messages: Record<ScheduleOutcome['kind'], string> = {
  started: 'started an export by the schedule of its site',
  unchanged: 'the site did not change, so its schedule started no export',
  active: 'an export of the site has not ended, so its schedule started no other',
  refused: 'could not start an export by the schedule of its site',
}

type Started = Pick<SiteSchedule, 'jobId' | 'fingerprint'>
type Outcome = Pick<ScheduleOutcome, 'kind'> & { problem?: string; started?: Started; err?: unknown }
/** 'stopped' = the server stops, so the start has to stay due. */
type Decision = Outcome | 'stopped'

async function decide(deps: SchedulerDeps, due: DueSchedule, signal: AbortSignal): Promise<Decision> {
  const { domain, organizationId } = due
  if (await hasOpenExport(deps, due)) return { kind: 'active' }
  const fingerprint = due.onlyIfChanged ? await findFingerprint(deps, domain, signal) : null
  // A check that was ended does not know whether the site changed.
  if (signal.aborted) return 'stopped'
  if (fingerprint !== null && fingerprint === due.fingerprint && (await hasBundle(deps, due)))
    return { kind: 'unchanged' }
  const outcome = await deps.start({ organizationId, domain })
  if ('problem' in outcome) return { kind: 'refused', problem: outcome.problem }
  return { kind: 'started', started: { jobId: outcome.jobId, fingerprint } }
}

async function hasOpenExport({ exportJobs }: SchedulerDeps, { organizationId, domain }: DueSchedule): Promise<boolean> {
  for (const status of ['queued', 'running'] as const) {
    if ((await exportJobs.listPage(organizationId, { domain, status, limit: 1 })).length > 0) return true
  }
  return false
}

/** The settings of the site decide what an export of it has, so they are a part of the fingerprint. */
async function findFingerprint(
  { sites, readFingerprint }: SchedulerDeps,
  domain: string,
  signal: AbortSignal,
): Promise<string | null> {
  const site = await sites.find(domain)
  // Without the login, the answers are those of a form to sign in.
  if (!site || site.loginAt !== null) return null
  const found = await readFingerprint(site, signal)
  return found === null ? null : digestJson([found, site.origin, site.removal, site.allowedOrigins])
}

/** Whether the last export of the schedule is completed and not deleted. */
async function hasBundle({ exportJobs }: SchedulerDeps, { jobId }: DueSchedule): Promise<boolean> {
  return jobId !== null && (await exportJobs.find(jobId))?.status === 'completed'
}
