import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { hear } from '../hear.ts'
import type { Told } from './child.ts'

export interface ServerProcess {
  url: string
  /** CPU time that the process has used so far, user and system. */
  readCpuSeconds(): Promise<number>
  close(): Promise<void>
}

/**
 * Starts a file of this folder as a process of its own and waits until it serves.
 *
 * @throws {Error} when it ends instead; what it wrote to standard error is on the terminal.
 */
export async function startServerProcess(file: string, settings: Record<string, string>): Promise<ServerProcess> {
  const child = fork(join(import.meta.dirname, file), [], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const told = (await hear(child, file)) as Told
  if (!('url' in told)) throw new Error(`${file} did not say where it serves.`)
  return {
    url: told.url,
    async readCpuSeconds() {
      child.send('cpu')
      const answer = (await hear(child, file)) as Told
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
