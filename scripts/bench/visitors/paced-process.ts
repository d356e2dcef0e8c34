import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import type { PacedOptions } from './paced-load.ts'
import type { Percentiles } from './percentiles.ts'

export interface PacedLoad {
  stop(): Promise<Percentiles>
}

/**
 * Runs `runPaced` in a process of its own, which has begun when this settles.
 *
 * @throws {Error} when it fails; what it wrote to standard error is on the terminal. So does `stop`.
 */
export async function startPaced(options: Omit<PacedOptions, 'until'>): Promise<PacedLoad> {
  const child = fork(join(import.meta.dirname, 'load-agent-jobs.ts'), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const started = hear(child)
  child.send(options)
  await started
  const answered = hear(child)
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

function hear(child: ChildProcess): Promise<unknown> {
  return new Promise((done, failed) => {
    const fail = (code: number | null) =>
      failed(new Error(`load-agent-jobs.ts ended with ${code} instead of an answer.`))
    child.once('exit', fail)
    child.once('message', message => {
      child.off('exit', fail)
      done(message)
    })
  })
}
