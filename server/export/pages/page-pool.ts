import { availableParallelism } from 'node:os'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { StartThread } from '../../base/start-thread.ts'
import type {
  PageWork,
  PageWorkSetup,
  ReadPage,
  ReadTask,
  TwinTask,
  WorkerAnswer,
  WorkerRequest,
  WriteSetup,
  WriteTask,
  WrittenPage,
  WrittenTwin,
} from './page-tasks.ts'
import { createPageWork } from './page-work.ts'

/** Reports that the worker crashed twice on the same page. */
export class PageWorkError extends Error {}

/** Reads and writes pages in parallel threads. */
export interface PagePool {
  read(task: ReadTask): Promise<ReadPage>
  /** Must be called before `write`, after all pages are read. */
  beginWriting(setup: WriteSetup): void
  write(task: WriteTask): Promise<WrittenPage>
  twin(task: TwinTask): Promise<WrittenTwin>
  /** Ends the threads and rejects their pending work. */
  close(): Promise<void>
}

/** Max threads. With more threads, the network and the disk are the limit. */
const maxThreads = 4
/** Max total bytes of pages handled on this thread before the first worker thread starts. */
const hereBytes = 2 * 1024 ** 2
/** Pages of this size or larger always go to a worker thread. */
const herePageBytes = 256 * 1024
/**
 * This thread also handles a page if each other thread has at least this many times its bytes to do, and so stays busy
 * meanwhile. With a count of pages as the measure, the other thread waited a third of the time for this one.
 */
const enoughWaiting = 3
/** The size of a page whose size is not known. */
const twinBytes = 32 * 1024
/** Max heap of a thread. Only a malicious page needs more memory. */
const heapMb = 512
/**
 * Heap for objects that live as long as one page. A thread uses three times as much. A larger heap saved no time and took 60
 * MB per thread.
 */
const youngMb = 4

export interface PagePoolOptions {
  /**
   * Whether this thread has nothing else to do. If so, it handles pages while the others are busy, and the pool has one
   * thread fewer. Each thread compiles the same program again, which takes longer than handling a few hundred pages.
   */
  isAlone?: boolean | undefined
  /** Returns the share of this pool in a number of threads; at least 1. */
  share?(whole: number): number
}

/** Opens a pool of threads that read and write pages. */
export function openPagePool(
  setup: PageWorkSetup,
  startThread: StartThread,
  { isAlone: isHelping = false, share = whole => whole }: PagePoolOptions = {},
): PagePool {
  const maxOfPool = Math.max(1, Math.min(availableParallelism() - (isHelping ? 1 : 0), maxThreads))
  const here: PageWork = createPageWork(setup)
  const pool: Thread[] = []
  let seenBytes = 0
  let writing: WriteSetup | null = null
  let isClosed = false

  /** Returns the least busy thread; null = this thread. */
  function takeThread(sizeBytes: number): Thread | null {
    const isSmall = sizeBytes < herePageBytes
    seenBytes += sizeBytes
    if (pool.length === 0 && seenBytes < hereBytes && isSmall) return null
    const least = pool.toSorted((a, b) => a.waitingBytes() - b.waitingBytes())[0]
    if (least?.waitingBytes() === 0) return least
    if (!least || pool.length < share(maxOfPool)) return addThread()
    return isHelping && isSmall && least.waitingBytes() >= enoughWaiting * sizeBytes ? null : least
  }

  function addThread(): Thread {
    const thread = startPageThread(startThread, setup, () => pool.splice(pool.indexOf(thread), 1))
    if (writing) thread.tell({ beginWriting: writing })
    pool.push(thread)
    return thread
  }

  async function run<T>(sizeBytes: number, request: Omit<WorkerRequest, 'id'>, doHere: () => T): Promise<T> {
    for (let attempt = 0; ; attempt += 1) {
      // A page that ended a worker is not handled here, where it would end the program.
      const thread = takeThread(attempt === 0 ? sizeBytes : herePageBytes)
      if (!thread) return workHere(doHere)
      try {
        return (await thread.ask(request, sizeBytes)) as T
      } catch (error) {
        if (isClosed || attempt > 0 || !(error instanceof PageWorkError)) throw error
      }
    }
  }
  // Start a thread while the first network answers are pending.
  if (isHelping) addThread()
  return {
    read: task => run(task.bytes.byteLength, { read: task }, () => here.read(task)),
    beginWriting(setup) {
      writing = setup
      here.beginWriting(setup)
      for (const thread of pool) thread.tell({ beginWriting: setup })
    },
    write: task => run(task.span.sizeBytes, { write: task }, () => here.write(task)),
    twin: task => run(twinBytes, { twin: task }, () => here.twin(task)),
    async close() {
      isClosed = true
      await Promise.all(pool.map(thread => thread.end()))
      here.close()
    },
  }
}

/** Does work in this thread, then handles the answers of the other threads before the next page. */
async function workHere<T>(work: () => T): Promise<T> {
  const done = work()
  await nextTurn()
  return done
}

interface Thread {
  /** Returns the bytes of the pages of pending requests. */
  waitingBytes(): number
  tell(request: WorkerRequest): void
  ask(request: Omit<WorkerRequest, 'id'>, sizeBytes: number): Promise<unknown>
  end(): Promise<void>
}

function startPageThread(startThread: StartThread, setup: PageWorkSetup, onEnd: () => void): Thread {
  const worker = startThread('export/pages/page-worker', setup, {
    maxOldGenerationSizeMb: heapMb,
    maxYoungGenerationSizeMb: youngMb,
  })
  const awaited = new Map<number, { sizeBytes: number; resolve(value: unknown): void; reject(error: Error): void }>()
  let lastId = 0
  let waitingBytes = 0

  worker.on('message', (answer: WorkerAnswer) => {
    const waiter = awaited.get(answer.id)
    awaited.delete(answer.id)
    waitingBytes -= waiter?.sizeBytes ?? 0
    if ('error' in answer) waiter?.reject(Object.assign(answer.error, { code: answer.code }))
    else waiter?.resolve(answer.value)
  })
  let why = 'the worker thread was stopped'
  worker.on('error', (error: Error) => {
    why = error.message
  })
  worker.on('exit', () => {
    onEnd()
    for (const { reject } of awaited.values()) reject(new PageWorkError(`the page could not be read (${why})`))
    awaited.clear()
  })
  return {
    waitingBytes: () => waitingBytes,
    tell: request => worker.postMessage(request),
    ask(request, sizeBytes) {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      lastId += 1
      waitingBytes += sizeBytes
      awaited.set(lastId, { sizeBytes, resolve, reject })
      worker.postMessage({ ...request, id: lastId })
      return promise
    },
    async end() {
      await worker.terminate()
    },
  }
}
