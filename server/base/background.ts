import type { Awaitable } from './awaitable.ts'

/** Work that runs, or a resource that stays open, until it is stopped. */
export interface Stoppable {
  stop(): Awaitable<void>
}

export interface Background {
  /** Adds started work and returns it. */
  add<T extends Stoppable>(started: T): T
  /** Stops everything in reverse order of starting. Each stop waits for the one before it. */
  stop(): Promise<void>
}

/** Collects everything that a process starts, to stop it in reverse order. */
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

/** Combines independent work. All parts stop at the same time. */
export function together(...parts: readonly Stoppable[]): Stoppable {
  return {
    async stop() {
      await Promise.all(parts.map(part => part.stop()))
    },
  }
}
