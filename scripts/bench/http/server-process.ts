import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { nextMessage } from '../next-message.ts'
import type { ServerMessage } from './child.ts'

export interface ServerProcess {
  url: string
  /** CPU time that the process has used so far, user and system. */
  readCpuSeconds(): Promise<number>
  close(): Promise<void>
}

/**
 * Starts a file of this folder as a separate process and waits until it serves.
 *
 * @throws {Error} when the process exits first; its standard error is on the terminal.
 */
export async function startServerProcess(file: string, settings: Record<string, string>): Promise<ServerProcess> {
  const child = fork(join(import.meta.dirname, file), [], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const started = (await nextMessage(child, file)) as ServerMessage
  if (!('url' in started)) throw new Error(`${file} did not send its address.`)
  return {
    url: started.url,
    async readCpuSeconds() {
      child.send('cpu')
      const answer = (await nextMessage(child, file)) as ServerMessage
      return 'cpuSeconds' in answer ? answer.cpuSeconds : Number.NaN
    },
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}
