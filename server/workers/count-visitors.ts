import type { Worker } from 'node:worker_threads'
import type { DayRange, UniqueVisitorCounter, UniqueVisitors } from '../analytics/unique-visitors.ts'
import { startThread } from '../assets.ts'

/** The data that the thread starts with. */
export interface CountsSetup {
  dataFolder: string
}

/** A request to the thread. */
export interface CountsQuestion {
  /** The answer has the same number. */
  number: number
  projectId: string
  range: DayRange
  page: { limit: number; offset: number }
}

/** The answer of the thread. */
export type CountsAnswer = { number: number; visitors: UniqueVisitors } | { number: number; error: Error }

/** Counts unique visitors in a separate thread. */
export interface VisitorCountsThread extends UniqueVisitorCounter {
  /** Ends the thread; questions without an answer get an error. */
  stop(): Promise<void>
}

interface Waiting {
  done(visitors: UniqueVisitors): void
  failed(error: unknown): void
}

/**
 * Counts unique visitors in a separate thread, because an answer about 600,000 pages takes half a second of computing and
 * would block other requests. The first question starts the thread; when it has ended, the next question starts another.
 */
export function startVisitorCounting(setup: CountsSetup): VisitorCountsThread {
  let running: { thread: Worker; waiting: Map<number, Waiting> } | undefined
  let questions = 0

  function start() {
    const thread = startThread('workers/count-visitors-worker', setup)
    const waiting = new Map<number, Waiting>()
    const started = { thread, waiting }
    let cause: unknown
    thread.on('message', (answer: CountsAnswer) => {
      const { done, failed } = waiting.get(answer.number) as Waiting
      waiting.delete(answer.number)
      if ('error' in answer) failed(answer.error)
      else done(answer.visitors)
    })
    thread.on('error', error => {
      cause = error
    })
    thread.on('exit', () => {
      if (running === started) running = undefined
      for (const { failed } of waiting.values()) failed(new Error('The thread that counts visitors ended.', { cause }))
    })
    return started
  }

  return {
    countUniqueVisitors: (projectId, range, page) =>
      new Promise((done, failed) => {
        running ??= start()
        const question: CountsQuestion = { number: questions++, projectId, range, page }
        running.waiting.set(question.number, { done, failed })
        running.thread.postMessage(question)
      }),
    async stop() {
      // The thread only reads, so it can be ended at any time.
      await running?.thread.terminate()
    },
  }
}
