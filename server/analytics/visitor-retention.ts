import { setImmediate } from 'node:timers/promises'
import type { Awaitable } from '../tenancy/organization.ts'
import { toDay } from './day.ts'
import type { VisitRecorder } from './unique-visitors.ts'

export interface VisitorRetentionDeps {
  listProjects(): Awaitable<readonly { id: string }[]>
  visits: Pick<VisitRecorder, 'pruneSeen'>
  /** How many days back it stays known who saw what; undefined = for ever. */
  retentionDays: number | undefined
  now(): number
  log: { info(details: object, message: string): void; error(details: object, message: string): void }
}

const everyMs = 6 * 60 * 60 * 1000

/** Forgets visitors by age, now and every few hours; does nothing when no retention is set. Whoever stops it waits for it. */
export function startVisitorRetention(deps: VisitorRetentionDeps): { stop(): Promise<void> } {
  if (deps.retentionDays === undefined) return { stop: async () => {} }
  let isStopped = false
  let running = pruneAll(deps, () => isStopped)
  const timer = setInterval(() => {
    running = running.then(() => pruneAll(deps, () => isStopped))
  }, everyMs)
  timer.unref()
  return {
    stop() {
      isStopped = true
      clearInterval(timer)
      return running
    },
  }
}

async function pruneAll(
  { listProjects, visits, retentionDays = 0, now, log }: VisitorRetentionDeps,
  isStopped: () => boolean,
): Promise<void> {
  try {
    for (const { id } of await listProjects()) {
      // A server that starts answers first.
      await setImmediate()
      if (isStopped()) return
      const visitorDays = await visits.pruneSeen(id, toDay(now()) - retentionDays)
      if (visitorDays > 0) log.info({ projectId: id, visitorDays, retentionDays }, 'forgot old visitors')
    }
  } catch (error) {
    log.error({ err: error }, 'old visitors could not be forgotten; the next try is in some hours')
  }
}
