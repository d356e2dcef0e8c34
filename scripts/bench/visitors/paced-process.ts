import { fork } from 'node:child_process'
import { join } from 'node:path'
import { hear } from '../hear.ts'
import type { PacedOptions } from './paced-load.ts'
import type { Percentiles } from './percentiles.ts'

const file = 'load-agent-jobs.ts'

export interface PacedLoad {
  stop(): Promise<Percentiles>
}

/**
 * Runs `runPaced` in a process of its own, which has begun when this settles.
 *
 * @throws {Error} when it fails; what it wrote to standard error is on the terminal. So does `stop`.
 */
export async function startPaced(options: Omit<PacedOptions, 'until'>): Promise<PacedLoad> {
  const child = fork(join(import.meta.dirname, file), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const started = hear(child, file)
  child.send(options)
  await started
  const answered = hear(child, file)
  answered.catch(() => {}) // told by `stop`
  return {
    async stop() {
      if (child.connected) child.send('stop')
      const percentiles = await answered
      child.disconnect()
      return percentiles as Percentiles
    },
  }
}
