import type { Worker } from 'node:worker_threads'
import { type Day, toDay } from '../analytics/day.ts'
import { startThread } from '../assets.ts'
import type { Stoppable } from '../base/background.ts'
import type { ClockCheck } from '../base/clock-check.ts'
import { repeat } from '../base/timer.ts'
import type { DestroyOptions } from '../store/visits/period-keys.ts'
import type { Project, Projects } from '../tenancy/project.ts'

/** The data that the thread starts with. */
export interface PruneSetup {
  dataFolder: string
  projects: Pick<Project, 'id' | 'visitorSaltRotation'>[]
  /** Visitors of earlier days are deleted; undefined = of no day. */
  before: Day | undefined
  keys: DestroyOptions
}

/** A report of the thread: how many visitor keys it destroyed, and how many visitor days it deleted of a project. */
export interface PruneReport {
  projectId: string
  keys: number
  visitorDays: number
}

export interface VisitorRetentionOptions {
  dataFolder: string
  projects: Pick<Projects, 'list'>
  /** For how many days Quire keeps the hashes of visitors; undefined = forever. */
  retentionDays: number | undefined
  /** See `DestroyOptions`. */
  keyGraceDays: number
  clock: ClockCheck
  log: { info(details: object, message: string): void; error(details: object, message: string): void }
}

const everyMs = 6 * 60 * 60 * 1000

/** Destroys the visitor keys of ended periods and deletes old visitors in a separate thread, now and every few hours. */
export function startVisitorRetention(options: VisitorRetentionOptions): Stoppable {
  const { dataFolder, projects, retentionDays, keyGraceDays, clock, log } = options
  let isStopped = false
  let worker: Worker | undefined

  async function prune(): Promise<void> {
    // Most servers keep all visitors and have no project whose key changes.
    const due = (await projects.list()).filter(
      ({ visitorSaltRotation }) => retentionDays !== undefined || visitorSaltRotation !== 'never',
    )
    if (due.length === 0 || !(await clock.isTrusted()) || isStopped) return
    const now = Date.now()
    const setup: PruneSetup = {
      dataFolder,
      projects: due,
      before: retentionDays === undefined ? undefined : toDay(now) - retentionDays,
      keys: { now, graceDays: keyGraceDays },
    }
    const thread = startThread('workers/prune-visitors-worker', setup)
    worker = thread
    thread.on('message', (report: PruneReport) => {
      const what =
        report.keys > 0 ? 'destroyed visitor keys of ended periods, and their visitors' : 'deleted old visitors'
      log.info({ ...report, retentionDays, keyGraceDays }, what)
    })
    await new Promise<void>((done, failed) => thread.on('error', failed).on('exit', () => done()))
  }

  const attempt = () =>
    prune().catch(error =>
      log.error({ err: error }, 'could not delete old visitors; the next attempt follows in 6 hours'),
    )
  const repetition = repeat(everyMs, attempt, { startsNow: true })
  return {
    async stop() {
      isStopped = true
      // SQLite rolls back unfinished work; the next start repeats it.
      await worker?.terminate()
      await repetition.stop()
    },
  }
}
