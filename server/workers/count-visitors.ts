import type { Worker } from 'node:worker_threads'
import type {
  AllPages,
  CountsAtRevision,
  DayRange,
  Revision,
  UniqueVisitorCounter,
  VisitorReader,
} from '../analytics/unique-visitors.ts'
import { UnusableVisitsError } from '../analytics/unusable-visits.ts'
import { startThread } from '../assets.ts'
import { createPlaces } from '../base/places.ts'

/** The data that the thread starts with. */
export interface CountsSetup {
  dataFolder: string
}

/** A question to the thread. */
export type CountsQuestion =
  | { ask: 'revision'; projectId: string }
  | { ask: 'counts'; projectId: string; range: DayRange; page: { limit: number; offset: number } }
  /** `csv` is a number that names the open CSV from now on. */
  | { ask: 'open csv'; projectId: string; range: DayRange; csv: number }
  | { ask: 'read csv'; csv: number }
  | { ask: 'close csv'; csv: number }

/** What the thread answers to each question. */
export interface CountsAnswers {
  revision: Revision
  counts: CountsAtRevision
  'open csv': Omit<AllPages, 'csv'>
  /** The next part; undefined at the end, and the CSV is closed then. */
  'read csv': Uint8Array | undefined
  'close csv': undefined
}

/** A message of the thread. It has the number of its question. */
export type CountsAnswer =
  | { number: number; value: CountsAnswers[keyof CountsAnswers] }
  /** A message between threads keeps no class, so `isUnusable` names it. */
  | { number: number; error: Error; isUnusable: boolean }

/** Counts unique visitors in a separate thread. */
export interface VisitorCountsThread extends UniqueVisitorCounter, VisitorReader {
  /** Ends the thread; questions without an answer get an error. */
  stop(): Promise<void>
}

interface Waiting {
  done(value: unknown): void
  failed(error: unknown): void
}

/** The counts of a CSV of 600,000 pages take 17 MB until it is read, and a client may read as slowly as it likes. */
const csvsPerProject = 2

/**
 * Counts unique visitors in a separate thread, because an answer about 600,000 pages takes half a second of computing and
 * would block other requests. The first question starts the thread; when it has ended, the next question starts another.
 */
export function startVisitorCounting(setup: CountsSetup): VisitorCountsThread {
  const { ask, stop } = createQuestions(setup)
  const places = createPlaces(csvsPerProject)
  let csvs = 0

  const countAtRevision: VisitorReader['countAtRevision'] = (projectId, range, page) =>
    ask({ ask: 'counts', projectId, range, page })

  return {
    findRevision: projectId => ask({ ask: 'revision', projectId }),
    countAtRevision,
    async countUniqueVisitors(...question) {
      const { totals, visitors, hasMore } = await countAtRevision(...question)
      return { totals, visitors, hasMore }
    },
    async readAllPages(projectId, range) {
      const free = await places.take(projectId)
      const csv = csvs++
      try {
        const counts = await ask({ ask: 'open csv', projectId, range, csv })
        return { ...counts, csv: readParts(ask, csv, free) }
      } catch (error) {
        free()
        throw error
      }
    },
    stop,
  }
}

type Ask = <Question extends CountsQuestion>(question: Question) => Promise<CountsAnswers[Question['ask']]>

/** Asks the thread, and starts it if it does not run. */
function createQuestions(setup: CountsSetup): { ask: Ask; stop(): Promise<void> } {
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
      if ('error' in answer) failed(answer.isUnusable ? toUnusable(answer.error) : answer.error)
      else done(answer.value)
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
    ask: question =>
      new Promise((done, failed) => {
        // A CSV ends with its thread. Another thread is not started for it, because the server may be shutting down.
        if (!running && (question.ask === 'read csv' || question.ask === 'close csv')) {
          return failed(new Error('The CSV was closed.'))
        }
        running ??= start()
        const number = questions++
        running.waiting.set(number, { done: done as Waiting['done'], failed })
        running.thread.postMessage({ ...question, number })
      }),
    async stop() {
      // The thread only reads, so it can be ended at any time.
      await running?.thread.terminate()
    },
  }
}

function toUnusable({ message, stack }: Error): UnusableVisitsError {
  return Object.assign(new UnusableVisitsError(message), stack !== undefined && { stack })
}

/**
 * Reads an open CSV part by part. The thread prepares the next part when it is asked for it. `free` is called at the end, after
 * an error, and when the reader stops.
 */
function readParts(ask: Ask, csv: number, free: () => void): AsyncIterable<Uint8Array> {
  const parts: AsyncIterator<Uint8Array> = {
    async next() {
      const value = await ask({ ask: 'read csv', csv }).catch(error => {
        free()
        throw error
      })
      if (value !== undefined) return { value }
      free()
      return { done: true, value }
    },
    async return() {
      free()
      // If the thread ended meanwhile, the CSV has ended with it.
      await ask({ ask: 'close csv', csv }).catch(() => undefined)
      return { done: true, value: undefined }
    },
  }
  return { [Symbol.asyncIterator]: () => parts }
}
