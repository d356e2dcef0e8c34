import type { Worker } from 'node:worker_threads'
import {
  checkDelivery,
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

/** A delivery for the thread, which works on one at a time. */
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
const pieceBytes = 64 * 1024
/** A large delivery takes a few seconds. */
const stopWithinMs = 10_000

/**
 * Receives visits in a separate thread, which decompresses, parses and records one delivery at a time, so that requests do not wait.
 * Deliveries of one target are counted in the order in which they have arrived, and targets take turns. The first delivery starts the
 * thread; when it has ended, the next delivery starts another.
 */
export function startReceivingVisits(options: ReceiveOptions): VisitsReceiver & Stoppable {
  const { maxWaiting = usualWaiting, maxWaitingBytes = usualWaitingBytes, setup } = options
  const counter = createCounter({ maxUnpackedBytes: usualUnpackedBytes, ...setup })
  const turns = createTurns(counter.count)
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
        return await turns.add(target, { delivery, pieces: pieces.take() })
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

/** Runs one work at a time. The work of each name runs in the order in which it was added, and names take turns. */
function createTurns<Work, Result>(run: (work: Work) => Promise<Result>) {
  /** The name whose turn is next comes first. */
  const waiting = new Map<string, Waiting<Work, Result>[]>()
  let running: Promise<void> | undefined

  async function runAll(): Promise<void> {
    for (let turn = waiting.entries().next().value; turn; turn = waiting.entries().next().value) {
      const [name, [first, ...rest]] = turn
      // The name goes to the end.
      waiting.delete(name)
      if (rest.length > 0) waiting.set(name, rest)
      if (first) await run(first.work).then(first.done, first.failed)
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

/** Counts deliveries in the thread, and starts it if it does not run. Count one at a time. */
function createCounter(setup: ReceiveSetup) {
  let thread: Worker | undefined
  let current: Omit<Waiting<ReceiveQuestion, ReceivedVisits>, 'work'> | undefined

  function start(): Worker {
    const started = startThread('workers/receive-visits-worker', setup)
    let cause: unknown
    started.on('message', (answer: ReceiveAnswer) => {
      if ('value' in answer) current?.done(answer.value)
      else current?.failed(toError(answer))
    })
    started.on('error', error => {
      cause = error
    })
    started.on('exit', () => {
      thread = undefined
      current?.failed(new Error('The thread that receives visits ended.', { cause }))
    })
    return started
  }

  return {
    count: (question: ReceiveQuestion): Promise<ReceivedVisits> =>
      new Promise((done, failed) => {
        current = { done, failed }
        thread ??= start()
        const memory = question.pieces.map(({ buffer }) => buffer as ArrayBuffer)
        thread.postMessage(question, memory)
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
