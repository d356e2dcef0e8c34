import { MessageChannel, type MessagePort, receiveMessageOnPort, type Worker } from 'node:worker_threads'
import type { KeyPeriod } from '../../../analytics/visitor-keys.ts'
import { startThread } from '../../../assets.ts'
import type { PeriodKey } from '../../visits/period-keys.ts'

/** The data that the thread starts with. */
export interface KeyThreadSetup {
  database: string
  /** Is 1 once the answer to the last question was sent. */
  state: Int32Array<SharedArrayBuffer>
}

export interface KeyQuestion {
  projectId: string
  period: KeyPeriod
  now: number
}

export type KeyAnswer = { key: PeriodKey } | { error: Error }

/** The thread starts within a second, and repeats what fails for a few seconds while the database cannot be reached. */
const patienceMs = 90_000

/**
 * Takes the keys of periods from the database while this thread waits. A log is hashed line by line and synchronously, and the next line
 * may be the first of a period. That happens once per period and project, so another thread asks the database.
 */
export function openKeyThread(database: string) {
  let running: { thread: Worker; port: MessagePort; state: Int32Array<SharedArrayBuffer> } | undefined

  function start() {
    const state = new Int32Array(new SharedArrayBuffer(4))
    const setup: KeyThreadSetup = { database, state }
    const thread = startThread('workers/visitor-keys-worker', setup)
    const { port1, port2 } = new MessageChannel()
    thread.postMessage(port2, [port2])
    // The process does not wait for them. An error of the thread ends it, and the wait below notices.
    thread.unref()
    port1.unref()
    thread.on('error', () => {})
    return { thread, port: port1, state }
  }

  return {
    /** @throws {Error} if the database cannot be reached. */
    take(question: KeyQuestion): PeriodKey {
      running ??= start()
      const { port, state } = running
      Atomics.store(state, 0, 0)
      port.postMessage(question)
      Atomics.wait(state, 0, 0, patienceMs)
      const { message } = (receiveMessageOnPort(port) ?? {}) as { message?: KeyAnswer }
      if (message && 'key' in message) return message.key
      void this.close()
      throw message?.error ?? new Error('The thread that takes the visitor keys did not answer.')
    },
    async close(): Promise<void> {
      const { thread, port } = running ?? {}
      running = undefined
      port?.close()
      await thread?.terminate()
    },
  }
}
