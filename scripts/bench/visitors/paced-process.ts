import { fork } from 'node:child_process'
import { join } from 'node:path'
import { nextMessage } from '../next-message.ts'
import type { PacedOptions } from './paced-load.ts'
import type { Percentiles } from './percentiles.ts'

const file = 'load-agent-jobs.ts'

export interface PacedLoad {
  stop(): Promise<Percentiles>
}

/**
 * Runs `runPaced` in a separate process. Returns when the process has begun.
 *
 * @throws {Error} when the process fails; `stop` throws the same error. Its standard error is on the terminal.
 */
export async function startPaced(options: Omit<PacedOptions, 'until'>): Promise<PacedLoad> {
  const child = fork(join(import.meta.dirname, file), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const started = nextMessage(child, file)
  child.send(options)
  await started
  const answered = nextMessage(child, file)
  answered.catch(() => {}) // `stop` reports it
  return {
    async stop() {
      if (child.connected) child.send('stop')
      const percentiles = await answered
      child.disconnect()
      return percentiles as Percentiles
    },
  }
}
