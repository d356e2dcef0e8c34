import type { Worker } from 'node:worker_threads'
import { toDay } from '../analytics/day.ts'
import { startThread } from '../assets.ts'
import type { Stoppable } from '../base/background.ts'
import type { ClockCheck } from '../base/clock-check.ts'
import type { Exclusively } from '../base/exclusively.ts'
import { repeat } from '../base/timer.ts'
import type { Projects } from '../tenancy/project.ts'
import type { PruneReport, PruneTask } from './prune-projects.ts'

/** The data that the thread starts with. */
export interface PruneSetup extends PruneTask {
  dataFolder: string
  /** See `VisitorRetentionOptions`. */
  database: string | undefined
}

export interface VisitorRetentionOptions {
  dataFolder: string
  /** The address of the PostgreSQL database with the visits; undefined = they are in the data folder. */
  database?: string | undefined
  exclusively: Exclusively
  projects: Pick<Projects, 'list'>
  /** For how many days Quire keeps the hashes of visitors; undefined = forever. */
  retentionDays: number | undefined
  /** See `DestroyOptions`. */
  keyGraceDays: number
  clock: ClockCheck
  log: { info(details: object, message: string): void; error(details: object, message: string): void }
}

const everyMs = 6 * 60 * 60 * 1000

/** Destroys the visitor keys of ended periods and deletes old visitors, now and every few hours, in a separate thread. */
export function startVisitorRetention(options: VisitorRetentionOptions): Stoppable {
  const { dataFolder, database, projects, exclusively, retentionDays, keyGraceDays, clock, log } = options
  let isStopped = false
  let worker: Worker | undefined

  async function prune(): Promise<void> {
    // Most servers keep all visitors and have no project whose key changes.
    const due = (await projects.list()).filter(
      ({ visitorSaltRotation }) => retentionDays !== undefined || visitorSaltRotation !== 'never',
    )
    if (due.length === 0 || !(await clock.isTrusted()) || isStopped) return
    const now = Date.now()
    const task: PruneTask = {
      projects: due,
      before: retentionDays === undefined ? undefined : toDay(now) - retentionDays,
      keys: { now, graceDays: keyGraceDays },
    }
    const setup: PruneSetup = { dataFolder, database, ...task }
    const thread = startThread('workers/prune-visitors-worker', setup)
    worker = thread
    thread.on('message', tell)
    await new Promise<void>((done, failed) => thread.on('error', failed).on('exit', () => done()))
  }

  function tell(report: PruneReport): void {
    const what =
      report.keys > 0 ? 'destroyed visitor keys of ended periods, and their visitors' : 'deleted old visitors'
    log.info({ ...report, retentionDays, keyGraceDays }, what)
  }

  const repetition = repeat(everyMs, async () => exclusively('visitor retention', prune), {
    startsNow: true,
    onError: err => log.error({ err }, 'could not delete old visitors; the next attempt follows in 6 hours'),
  })
  return {
    async stop() {
      isStopped = true
      // The database rolls back unfinished work; the next start repeats it.
      await worker?.terminate()
      await repetition.stop()
    },
  }
}
