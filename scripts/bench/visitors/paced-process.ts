import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { PacedOptions } from './paced-load.ts'
import type { Percentiles } from './percentiles.ts'

/** Runs `runPaced` in a process of its own from now on. */
export function startPaced(options: Omit<PacedOptions, 'until'>): { stop(): Promise<Percentiles> } {
  const child = fork(join(import.meta.dirname, 'load-agent-jobs.ts'), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`load-agent-jobs.ts ended with ${code} instead of an answer.`)
  })
  ended.catch(() => {}) // told by `stop`
  child.send(options)
  return {
    async stop() {
      const answered = once(child, 'message')
      if (child.connected) child.send('stop')
      const [percentiles] = await Promise.race([answered, ended])
      child.disconnect()
      return percentiles as Percentiles
    },
  }
}
