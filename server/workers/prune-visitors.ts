import type { Worker } from 'node:worker_threads'
import { type Day, toDay } from '../analytics/day.ts'
import { startThread } from '../assets.ts'
import type { Stoppable } from '../base/background.ts'
import type { ClockCheck } from '../base/clock-check.ts'
import { repeat } from '../base/timer.ts'
import type { Projects } from '../tenancy/project.ts'

/** The data that the thread starts with. */
export interface PruneSetup {
  dataFolder: string
  projectIds: string[]
  before: Day
}

/** A report of the thread: how many visitor days it deleted of a project. */
export interface PruneReport {
  projectId: string
  visitorDays: number
}

export interface VisitorRetentionOptions {
  dataFolder: string
  projects: Pick<Projects, 'list'>
  /** For how many days Quire keeps the hashes of visitors; undefined = forever. */
  retentionDays: number | undefined
  clock: ClockCheck
  log: { info(details: object, message: string): void; error(details: object, message: string): void }
}

const everyMs = 6 * 60 * 60 * 1000

/** Deletes old visitors in a separate thread, now and every few hours; does nothing if no retention is set. */
export function startVisitorRetention(options: VisitorRetentionOptions): Stoppable {
  const { dataFolder, projects, retentionDays, clock, log } = options
  if (retentionDays === undefined) return { stop() {} }
  let isStopped = false
  let worker: Worker | undefined

  async function prune(): Promise<void> {
    if (!(await clock.isTrusted())) return
    const projectIds = (await projects.list()).map(({ id }) => id)
    if (isStopped) return
    const setup: PruneSetup = { dataFolder, projectIds, before: toDay(Date.now()) - (retentionDays as number) }
    const thread = startThread('workers/prune-visitors-worker', setup)
    worker = thread
    thread.on('message', (report: PruneReport) => log.info({ ...report, retentionDays }, 'deleted old visitors'))
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
