import type { Worker } from 'node:worker_threads'
import { checkDelivery } from '../analytics/import/check-delivery.ts'
import {
  type Delivery,
  type DeliveryRefusal,
  DeliveryRefusedError,
  type ReceivedVisits,
  type VisitsReceiver,
} from '../analytics/import/delivery.ts'
import { UnusableVisitsError } from '../analytics/unusable-visits.ts'
import { startThread } from '../assets.ts'
import type { Stoppable } from '../base/background.ts'
import { actWhenLate } from '../base/timer.ts'
import { UnavailableError } from '../base/unavailable-error.ts'
import type { FollowSetup } from './follow-logs.ts'

/** The data that the thread starts with. */
export interface ReceiveSetup extends Pick<FollowSetup, 'dataFolder' | 'database' | 'visitorKeyFile' | 'node'> {
  /** The largest size of a delivery after decompression. */
  maxUnpackedBytes: number
}

/** A delivery for the thread. It works on one at a time, or on several of one target with the same settings. */
export interface ReceiveQuestion {
  delivery: Delivery
  /** The body. Its memory moves to the thread. */
  pieces: Uint8Array[]
}

export type ReceiveAnswer = { value: ReceivedVisits } | { error: Error; fault: ReceiveFault }

/** A message between threads keeps no class, so this names it; null = an error that nobody expected. */
export type ReceiveFault = { refusal: DeliveryRefusal } | Pick<UnavailableError, 'reason' | 'code'> | 'unusable' | null

export interface ReceiveOptions {
  setup: Omit<ReceiveSetup, 'maxUnpackedBytes'> & { maxUnpackedBytes?: number }
  /** The deliveries of one target that may wait or arrive at once. */
  maxWaiting?: number
  /** The bytes of all deliveries that may wait or arrive at once, as they are sent. */
  maxWaitingBytes?: number
}

/** Twenty times the 16 MB that a request may have: access logs shrink to a tenth by gzip, at most to a twentieth. */
const usualUnpackedBytes = 320 * 1024 * 1024
const usualWaiting = 32
const usualWaitingBytes = 64 * 1024 * 1024
/** The deliveries of one commit. More would make the first of them wait. */
const maxTogether = 16
const maxBytesTogether = 8 * 1024 * 1024
const pieceBytes = 64 * 1024
/** A large delivery takes a few seconds. */
const stopWithinMs = 10_000

/**
 * Receives visits in a separate thread, which decompresses, parses and records them, so that requests do not wait. Deliveries of one
 * target that wait at the same time are recorded together, because each commit writes the rows of its visitors. Deliveries of one target are counted in the order in which they have arrived, and targets take turns. The first delivery starts the
 * thread; when it has ended, the next delivery starts another.
 */
export function startReceivingVisits(options: ReceiveOptions): VisitsReceiver & Stoppable {
  const { maxWaiting = usualWaiting, maxWaitingBytes = usualWaitingBytes, setup } = options
  const counter = createCounter({ maxUnpackedBytes: usualUnpackedBytes, ...setup })
  const turns = createTurns(takeTogether, counter.count)
  /** The places that are taken, by target: deliveries that arrive, wait, or are counted. */
  const taken = new Map<string, number>()
  let bytes = 0
  let isStopping = false

  return {
    async receive(delivery, body) {
      checkDelivery(delivery)
      const target = JSON.stringify(delivery.target)
      const places = taken.get(target) ?? 0
      if (isStopping || places >= maxWaiting) throw busy('deliveries')
      taken.set(target, places + 1)
      let size = 0
      try {
        const pieces = new Pieces()
        for await (const chunk of body) {
          // A single delivery always has room, because its size is limited elsewhere.
          if (bytes + chunk.length > maxWaitingBytes && bytes > size) throw busy('bytes')
          bytes += chunk.length
          size += chunk.length
          pieces.add(chunk)
        }
        if (isStopping) throw busy('deliveries')
        return await turns.add(target, { delivery, pieces: pieces.take(), size })
      } finally {
        bytes -= size
        const left = (taken.get(target) as number) - 1
        if (left === 0) taken.delete(target)
        else taken.set(target, left)
      }
    },
    async stop() {
      isStopping = true
      turns.refuseWaiting(busy('deliveries'))
      await counter.stop(turns.idle())
    },
  }
}

interface Waiting<Work, Result> {
  work: Work
  done(result: Result): void
  failed(error: unknown): void
}

interface WaitingDelivery extends ReceiveQuestion {
  /** Bytes of the body, as it was sent. */
  size: number
}

/** Returns how many of the first deliveries of a target are counted together. */
function takeTogether(deliveries: readonly [WaitingDelivery, ...WaitingDelivery[]]): number {
  const settings = JSON.stringify(deliveries[0].delivery.settings)
  let bytes = 0
  const end = deliveries.findIndex(({ delivery, size }, index) => {
    bytes += size
    const isTooMuch = index >= maxTogether || bytes > maxBytesTogether
    return index > 0 && (isTooMuch || JSON.stringify(delivery.settings) !== settings)
  })
  return end === -1 ? deliveries.length : end
}

/**
 * Runs the first works of one name at a time: as many as `take` says. The works of each name run in the order in which they were added,
 * and names take turns.
 */
function createTurns<Work, Result>(
  take: (works: readonly [Work, ...Work[]]) => number,
  run: (works: Work[]) => Promise<PromiseSettledResult<Result>[]>,
) {
  /** The name whose turn is next comes first. */
  const waiting = new Map<string, Waiting<Work, Result>[]>()
  let running: Promise<void> | undefined

  async function runAll(): Promise<void> {
    for (let turn = waiting.entries().next().value; turn; turn = waiting.entries().next().value) {
      const [name, all] = turn
      const count = take(all.map(({ work }) => work) as [Work, ...Work[]])
      const [now, rest] = [all.slice(0, count), all.slice(count)]
      // The name goes to the end.
      waiting.delete(name)
      if (rest.length > 0) waiting.set(name, rest)
      const results = await run(now.map(({ work }) => work))
      for (const [index, { done, failed }] of now.entries()) {
        const result = results[index] as PromiseSettledResult<Result>
        if (result.status === 'fulfilled') done(result.value)
        else failed(result.reason)
      }
    }
    running = undefined
  }

  return {
    add: (name: string, work: Work): Promise<Result> =>
      new Promise((done, failed) => {
        waiting.set(name, [...(waiting.get(name) ?? []), { work, done, failed }])
        running ??= runAll()
      }),
    refuseWaiting(error: Error): void {
      for (const { failed } of [...waiting.values()].flat()) failed(error)
      waiting.clear()
    },
    /** Resolves when nothing runs. */
    idle: async (): Promise<void> => running,
  }
}

/** Counts deliveries in the thread, and starts it if it does not run. Call `count` again when it has settled. */
function createCounter(setup: ReceiveSetup) {
  let thread: Worker | undefined
  let answered: ((results: PromiseSettledResult<ReceivedVisits>[]) => void) | undefined
  let asked = 0

  function start(): Worker {
    const started = startThread('workers/receive-visits-worker', setup)
    let cause: unknown
    started.on('message', (answers: ReceiveAnswer[]) => answered?.(answers.map(toResult)))
    started.on('error', error => {
      cause = error
    })
    started.on('exit', () => {
      thread = undefined
      const reason = new Error('The thread that receives visits ended.', { cause })
      answered?.(Array.from({ length: asked }, () => ({ status: 'rejected', reason })))
    })
    return started
  }

  return {
    count: (deliveries: WaitingDelivery[]): Promise<PromiseSettledResult<ReceivedVisits>[]> =>
      new Promise(done => {
        asked = deliveries.length
        answered = done
        thread ??= start()
        const questions: ReceiveQuestion[] = deliveries.map(({ delivery, pieces }) => ({ delivery, pieces }))
        const memory = questions.flatMap(({ pieces }) => pieces.map(({ buffer }) => buffer as ArrayBuffer))
        thread.postMessage(questions, memory)
      }),
    /** Ends the thread after `idle`, or soon. */
    async stop(idle: Promise<void>): Promise<void> {
      const running = thread
      if (!running) return
      const ended = new Promise<void>(done => running.once('exit', () => done()))
      const stopping = idle.then(() => running.postMessage('stop')).then(() => ended)
      await actWhenLate(stopping, stopWithinMs, () => void running.terminate())
    },
  }
}

function busy(what: string): UnavailableError {
  return new UnavailableError('busy', what)
}

function toResult(answer: ReceiveAnswer): PromiseSettledResult<ReceivedVisits> {
  return 'value' in answer
    ? { status: 'fulfilled', value: answer.value }
    : { status: 'rejected', reason: toError(answer) }
}

function toError({ error, fault }: { error: Error; fault: ReceiveFault }): Error {
  if (fault === null) return error
  const { message, stack } = error
  if (fault !== 'unusable' && 'refusal' in fault) return new DeliveryRefusedError(fault.refusal, message)
  const named = fault === 'unusable' ? new UnusableVisitsError(message) : new UnavailableError(fault.reason, fault.code)
  return Object.assign(named, stack !== undefined && { stack })
}

/** Collects chunks of any size in pieces with their own memory, because the memory of a chunk may be shared with others. */
class Pieces {
  readonly #full: Uint8Array[] = []
  #last = new Uint8Array(0)
  #lastBytes = 0

  add(chunk: Uint8Array): void {
    for (let from = 0; from < chunk.length; ) {
      if (this.#lastBytes === this.#last.length) this.#begin()
      const part = chunk.subarray(from, from + this.#last.length - this.#lastBytes)
      this.#last.set(part, this.#lastBytes)
      this.#lastBytes += part.length
      from += part.length
    }
  }

  take(): Uint8Array[] {
    return this.#lastBytes === 0 ? this.#full : [...this.#full, this.#last.subarray(0, this.#lastBytes)]
  }

  #begin(): void {
    if (this.#lastBytes > 0) this.#full.push(this.#last)
    this.#last = new Uint8Array(pieceBytes)
    this.#lastBytes = 0
  }
}
