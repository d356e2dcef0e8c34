import type { Worker } from 'node:worker_threads'
import type { Day } from '../analytics/day.ts'
import type { ProjectReaders } from '../analytics/report/project-readers.ts'
import type { ReportQuestion, ReportView, VisitReportReader } from '../analytics/report/report-view.ts'
import type {
  AllPages,
  CountsAtRevision,
  DayRange,
  Revision,
  UniqueVisitorCounter,
  VisitorCounts,
  VisitorReader,
} from '../analytics/unique-visitors.ts'
import { UnusableVisitsError } from '../analytics/unusable-visits.ts'
import type { VisitFilter } from '../analytics/visit-filter.ts'
import { startThread } from '../assets.ts'
import { createSlots } from '../base/slots.ts'
import { UnavailableError } from '../base/unavailable-error.ts'

/** The data that the thread starts with. */
export type CountsSetup =
  | { dataFolder: string }
  /** The address of a PostgreSQL database. */
  | { database: string }

/** A question to the thread. */
export type CountsQuestion =
  | { ask: 'revision'; projectId: string }
  | { ask: 'counts'; projectId: string; range: DayRange; page: { limit: number; offset: number } }
  | { ask: 'totals'; projectId: string; ranges: readonly DayRange[] }
  | ({ ask: 'report' } & ReportQuestion)
  | { ask: 'readers'; projectId: string; today: Day }
  /** `file` is a number that names the open file from now on. */
  | { ask: 'open csv'; projectId: string; range: DayRange; file: number }
  | { ask: 'open report'; projectId: string; range: DayRange; filter: VisitFilter | undefined; file: number }
  | { ask: 'open pages'; projectId: string; range: DayRange; filter: VisitFilter; file: number }
  | { ask: 'read file'; file: number }
  | { ask: 'close file'; file: number }

/** What the thread answers to each question. */
export interface CountsAnswers {
  revision: Revision
  counts: CountsAtRevision
  totals: VisitorCounts[]
  report: ReportView
  readers: ProjectReaders
  'open csv': Omit<AllPages, 'csv'>
  'open report': undefined
  'open pages': undefined
  /** The next part; undefined at the end, and the file is closed then. */
  'read file': Uint8Array | undefined
  'close file': undefined
}

/** A message of the thread. It has the number of its question. */
export type CountsAnswer =
  | { number: number; value: CountsAnswers[keyof CountsAnswers] }
  /** A message between threads keeps no class, so `fault` names it. */
  | { number: number; error: Error; fault: CountsFault }

/** The visits cannot be used, or the database cannot be used for now; null = another error. */
export type CountsFault = 'unusable' | Pick<UnavailableError, 'reason' | 'code'> | null

/** Counts unique visitors in a separate thread. */
export interface VisitorCountsThread extends UniqueVisitorCounter, VisitorReader, VisitReportReader {
  /** Ends the thread; questions without an answer get an error. */
  stop(): Promise<void>
}

interface Waiting {
  done(value: unknown): void
  failed(error: unknown): void
}

/** The counts of a file of 600,000 pages take 17 MB until it is read, and a client may read as slowly as it likes. */
const filesPerProject = 2

/**
 * Counts unique visitors in a separate thread, because an answer about 600,000 pages takes half a second of computing and
 * would block other requests. The first question starts the thread; when it has ended, the next question starts another.
 */
export function startVisitorCounting(setup: CountsSetup): VisitorCountsThread {
  const { ask, stop } = createQuestions(setup)
  const slots = createSlots(filesPerProject)
  let files = 0

  /** Opens a file of a project, as soon as few enough of them are open. */
  async function openFile<Answer>(
    projectId: string,
    open: (file: number) => Promise<Answer>,
  ): Promise<{ answer: Answer; parts: AsyncIterable<Uint8Array> }> {
    const free = await slots.take(projectId)
    const file = files++
    try {
      const answer = await open(file)
      return { answer, parts: readParts(ask, file, free) }
    } catch (error) {
      free()
      throw error
    }
  }

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
      const open = (file: number) => ask({ ask: 'open csv', projectId, range, file })
      const { answer, parts } = await openFile(projectId, open)
      return { ...answer, csv: parts }
    },
    countTotals: (projectId, ranges) => ask({ ask: 'totals', projectId, ranges }),
    readReport: question => ask({ ask: 'report', ...question }),
    readProjectReaders: (projectId, today) => ask({ ask: 'readers', projectId, today }),
    async readReportFile(projectId, range, filter) {
      const open = (file: number) => ask({ ask: 'open report', projectId, range, filter, file })
      return (await openFile(projectId, open)).parts
    },
    async readPageFile(projectId, range, filter) {
      const open = (file: number) => ask({ ask: 'open pages', projectId, range, filter, file })
      return (await openFile(projectId, open)).parts
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
      if ('error' in answer) failed(toError(answer))
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
        // A file ends with its thread. Another thread is not started for it, because the server may be shutting down.
        if (!running && (question.ask === 'read file' || question.ask === 'close file')) {
          return failed(new Error('The file was closed.'))
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

function toError({ error, fault }: { error: Error; fault: CountsFault }): Error {
  if (fault === null) return error
  const { message, stack } = error
  const named = fault === 'unusable' ? new UnusableVisitsError(message) : new UnavailableError(fault.reason, fault.code)
  return Object.assign(named, stack !== undefined && { stack })
}

/**
 * Reads an open file part by part. The thread prepares the next part when it is asked for it. `free` is called at the end, after
 * an error, and when the reader stops.
 */
function readParts(ask: Ask, file: number, free: () => void): AsyncIterable<Uint8Array> {
  const parts: AsyncIterator<Uint8Array> = {
    async next() {
      const value = await ask({ ask: 'read file', file }).catch(error => {
        free()
        throw error
      })
      if (value !== undefined) return { value }
      free()
      return { done: true, value }
    },
    async return() {
      free()
      // If the thread ended meanwhile, the file has ended with it.
      await ask({ ask: 'close file', file }).catch(() => undefined)
      return { done: true, value: undefined }
    },
  }
  return { [Symbol.asyncIterator]: () => parts }
}
