import type { Worker } from 'node:worker_threads'
import type { FollowSettings } from '../analytics/follow/follow-settings.ts'
import { startThread } from '../assets.ts'

/** What the thread needs. */
export interface FollowSetup extends FollowSettings {
  dataFolder: string
}

/** What it tells, to be logged. */
export interface FollowNews {
  level: 'info' | 'warn' | 'error'
  details: object
  message: string
}

export interface FollowLogsOptions {
  setup: FollowSetup
  log: Record<FollowNews['level'], (details: object, message: string) => void>
  /** Before the thread starts anew; twice as long each time. */
  firstPauseMs?: number
}

const longestPauseMs = 60_000
/** A thread that worked for this long is no reason to wait longer the next time. */
const healthyMs = 60_000
const stopWithinMs = 10_000

/**
 * Follows logs in a thread of its own, which leaves requests alone, and starts it anew when it ends. Whoever stops it waits
 * until what was read is written.
 */
export function startFollowingLogs(options: FollowLogsOptions): { stop(): Promise<void> } {
  const { setup, log, firstPauseMs = 1000 } = options
  if (setup.logs.length === 0) return { stop: async () => {} }
  let pauseMs = firstPauseMs
  let isStopping = false
  let timer: NodeJS.Timeout | undefined
  let worker: Worker | undefined
  let ended: Promise<void> = Promise.resolve()

  function start(): void {
    const startedAt = performance.now()
    const thread = startThread('workers/follow-logs-worker', setup)
    worker = thread
    let reason: unknown
    thread.on('message', ({ level, details, message }: FollowNews) => log[level](details, message))
    thread.on('error', error => {
      reason = error
    })
    ended = new Promise(done => {
      thread.on('exit', () => {
        done()
        worker = undefined
        if (isStopping) return
        if (performance.now() - startedAt > healthyMs) pauseMs = firstPauseMs
        log.error({ err: reason }, `the thread that follows logs ended; it starts anew in ${pauseMs / 1000} s`)
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
      const giveUp = setTimeout(() => void thread?.terminate(), stopWithinMs)
      await ended
      clearTimeout(giveUp)
    },
  }
}
