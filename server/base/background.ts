import type { Awaitable } from './awaitable.ts'

/** Work that goes on until it is stopped, or a resource that stays open until then. */
export interface Stoppable {
  stop(): Awaitable<void>
}

export interface Background {
  /** Adds started work, and returns it. */
  add<T extends Stoppable>(started: T): T
  /** Stops everything, the last started first; each stop waits for the one before it. */
  stop(): Promise<void>
}

/** Collects what a process starts, so that it stops in reverse order. */
export function createBackground(): Background {
  const started: Stoppable[] = []
  return {
    add(one) {
      started.push(one)
      return one
    },
    async stop() {
      for (let last = started.pop(); last; last = started.pop()) await last.stop()
    },
  }
}

/** Combines independent work; all parts stop at the same time. */
export function together(...parts: readonly Stoppable[]): Stoppable {
  return {
    async stop() {
      await Promise.all(parts.map(part => part.stop()))
    },
  }
}
