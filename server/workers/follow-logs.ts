import type { Worker } from 'node:worker_threads'
import type { FollowSettings } from '../analytics/follow/follow-settings.ts'
import { startThread } from '../assets.ts'
import type { Stoppable } from '../base/background.ts'
import { type FollowedState, followedStates } from '../base/measures.ts'
import { actWhenLate } from '../base/timer.ts'

/** The data that the thread starts with. */
export interface FollowSetup extends FollowSettings {
  dataFolder: string
  /** The address of a PostgreSQL database; undefined = SQLite in the data folder. */
  database?: string | undefined
  visitorKeyFile?: string | undefined
  /** The name of this machine for the positions; undefined = the host name. */
  node?: string | undefined
  /** Whether the thread tells the state of the logs every few seconds. */
  isMeasured?: boolean
}

/** A log line that the thread reports. */
export interface FollowNews {
  level: 'info' | 'warn' | 'error'
  details: object
  message: string
}

export interface FollowLogsOptions {
  setup: FollowSetup
  log: Record<FollowNews['level'], (details: object, message: string) => void>
  /** The pause before the first restart; each further pause is twice as long. */
  firstPauseMs?: number
}

const longestPauseMs = 60_000
/** After a thread has worked for this long, the next restart begins with the first pause again. */
const healthyMs = 60_000
const stopWithinMs = 10_000

/**
 * Follows logs in a separate thread, so that requests do not wait, and restarts the thread when it ends. `stop` waits until
 * the visits that were read are written.
 */
export function startFollowingLogs(options: FollowLogsOptions): Stoppable {
  const { setup, log, firstPauseMs = 1000 } = options
  if (setup.logs.length === 0) return { stop() {} }
  let pauseMs = firstPauseMs
  let isStopping = false
  let timer: NodeJS.Timeout | undefined
  let worker: Worker | undefined
  let ended: Promise<void> = Promise.resolve()

  function start(): void {
    const startedAt = performance.now()
    const thread = startThread('workers/follow-logs-worker', { ...setup, isMeasured: followedStates.isHeard })
    worker = thread
    let reason: unknown
    thread.on('message', (news: FollowNews | FollowedState) =>
      'log' in news ? followedStates.tell(news) : log[news.level](news.details, news.message),
    )
    thread.on('error', error => {
      reason = error
    })
    ended = new Promise(done => {
      thread.on('exit', () => {
        done()
        worker = undefined
        if (isStopping) return
        if (performance.now() - startedAt > healthyMs) pauseMs = firstPauseMs
        log.error({ err: reason }, `the thread that follows logs ended; it restarts in ${pauseMs / 1000} s`)
        timer = setTimeout(start, pauseMs)
        pauseMs = Math.min(2 * pauseMs, longestPauseMs)
      })
    })
  }

  start()
  return {
    async stop() {
      isStopping = true
      clearTimeout(timer)
      const thread = worker
      thread?.postMessage('stop')
      await actWhenLate(ended, stopWithinMs, () => void thread?.terminate())
    },
  }
}
