import type { Worker } from 'node:worker_threads'
import {
  checkDelivery,
  type Delivery,
  type DeliveryRefusal,
  DeliveryRefusedError,
  type ReceivedVisits,
  type VisitsReceiver,
} from '../analytics/import/receive-visits.ts'
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
export type ReceiveFault =
  | { refusal: DeliveryRefusal }
  | Pick<UnavailableError, 'reason' | 'code'>
  | 'unusable'
  | null

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

interface Waiting extends ReceiveQuestion {
  done(value: ReceivedVisits): void
  failed(error: unknown): void
}

/**
 * Receives visits in a separate thread, which decompresses, parses and records one delivery at a time, so that requests do not wait.
 * Deliveries of one target are counted in the order in which they have arrived, and targets take turns. The first delivery starts the
 * thread; when it has ended, the next delivery starts another.
 */
export function startReceivingVisits(options: ReceiveOptions): VisitsReceiver & Stoppable {
  const { maxWaiting = usualWaiting, maxWaitingBytes = usualWaitingBytes } = options
  const setup: ReceiveSetup = { maxUnpackedBytes: usualUnpackedBytes, ...options.setup }
  /** The deliveries that arrived, by their target; the target whose turn is next comes first. */
  const lanes = new Map<string, Waiting[]>()
  /** The places that are taken, by target: deliveries that arrive, wait, or are counted. */
  const taken = new Map<string, number>()
  let bytes = 0
  let thread: Worker | undefined
  let current: Waiting | undefined
  let isStopping = false
  let wakeStopper = () => {}

  async function receive(delivery: Delivery, body: AsyncIterable<Uint8Array>): Promise<ReceivedVisits> {
    checkDelivery(delivery)
    const lane = JSON.stringify(delivery.target)
    const places = taken.get(lane) ?? 0
    if (isStopping || places >= maxWaiting) throw busy('deliveries')
    taken.set(lane, places + 1)
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
      return await enqueue(lane, { delivery, pieces: pieces.take() })
    } finally {
      bytes -= size
      const left = (taken.get(lane) as number) - 1
      if (left === 0) taken.delete(lane)
      else taken.set(lane, left)
    }
  }

  function enqueue(lane: string, question: ReceiveQuestion): Promise<ReceivedVisits> {
    return new Promise((done, failed) => {
      if (isStopping) return failed(busy('deliveries'))
      lanes.set(lane, [...(lanes.get(lane) ?? []), { ...question, done, failed }])
      next()
    })
  }

  function next(): void {
    if (current) return
    const turn = lanes.entries().next().value
    if (!turn) return wakeStopper()
    const [lane, [first, ...rest]] = turn
    // The target goes to the end.
    lanes.delete(lane)
    if (rest.length > 0) lanes.set(lane, rest)
    current = first as Waiting
    thread ??= start()
    const { delivery, pieces } = current
    thread.postMessage({ delivery, pieces } satisfies ReceiveQuestion, pieces.map(({ buffer }) => buffer as ArrayBuffer))
  }

  function settle(act: (waiting: Waiting) => void): void {
    const waiting = current
    current = undefined
    if (waiting) act(waiting)
    next()
  }

  function start(): Worker {
    const started = startThread('workers/receive-visits-worker', setup)
    let cause: unknown
    started.on('message', (answer: ReceiveAnswer) =>
      settle(({ done, failed }) => ('value' in answer ? done(answer.value) : failed(toError(answer)))),
    )
    started.on('error', error => {
      cause = error
    })
    started.on('exit', () => {
      if (thread === started) thread = undefined
      settle(({ failed }) => failed(new Error('The thread that receives visits ended.', { cause })))
    })
    return started
  }

  return {
    receive,
    async stop() {
      isStopping = true
      for (const { failed } of [...lanes.values()].flat()) failed(busy('deliveries'))
      lanes.clear()
      const running = thread
      if (!running) return
      const ended = new Promise<void>(done => running.once('exit', () => done()))
      const idle = new Promise<void>(done => {
        wakeStopper = done
        next()
      })
      await actWhenLate(
        idle.then(() => running.postMessage('stop')).then(() => ended),
        stopWithinMs,
        () => void running.terminate(),
      )
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
