import { setTimeout as pause } from 'node:timers/promises'
import type { NewAgentEvent } from '../agent-event.ts'

/** Events wait this long, so that many are one write. Readers see them a moment later. */
const waitMs = 250

export interface EventBuffer {
  add(event: NewAgentEvent): void
  /** Resolves when all events so far are stored, or lost. */
  flush(): Promise<void>
}

/**
 * Stores events in their order, several at once.
 *
 * @param onLost is told of events that could not be stored. The job goes on without them.
 */
export function createEventBuffer(
  store: (events: NewAgentEvent[]) => Promise<void>,
  onLost: (error: unknown, events: number) => void,
): EventBuffer {
  let waiting: NewAgentEvent[] = []
  let writing: Promise<unknown> = Promise.resolve()
  let isPlanned = false

  const write = async () => {
    isPlanned = false
    const events = waiting
    waiting = []
    if (events.length === 0) return
    try {
      await store(events)
    } catch (error) {
      onLost(error, events.length)
    }
  }
  return {
    add(event) {
      waiting.push(event)
      if (isPlanned) return
      isPlanned = true
      writing = Promise.all([writing, pause(waitMs)]).then(write)
    },
    async flush() {
      await writing
      await write()
    },
  }
}
