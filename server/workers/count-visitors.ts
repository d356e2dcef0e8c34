import type { Worker } from 'node:worker_threads'
import type { DayRange, UniqueVisitorCounter, UniqueVisitors } from '../analytics/unique-visitors.ts'
import { startThread } from '../assets.ts'

/** What the thread needs. */
export interface CountsSetup {
  dataFolder: string
}

/** What the thread is asked. */
export interface CountsQuestion {
  /** Stands in the answer too. */
  number: number
  projectId: string
  range: DayRange
  page: { limit: number; offset: number }
}

/** What it tells. */
export type CountsAnswer = { number: number; visitors: UniqueVisitors } | { number: number; error: Error }

/** Unique visitors, counted elsewhere. */
export interface VisitorCountsThread extends UniqueVisitorCounter {
  /** Questions that wait for an answer get an error. */
  close(): Promise<void>
}

interface Waiting {
  done(visitors: UniqueVisitors): void
  failed(error: unknown): void
}

/**
 * Counts unique visitors in a thread of its own, started by the first question and anew by the next when it ended. An answer
 * about 600,000 pages takes half a second of computing, which no other request should wait for.
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
    async close() {
      // It only reads: nothing is half done.
      await running?.thread.terminate()
    },
  }
}
