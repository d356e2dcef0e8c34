import type { ChildProcess } from 'node:child_process'

/**
 * Waits for the next message of a child process.
 *
 * @param name what to call the process when it ends instead
 * @throws {Error} when it ends; what it wrote to standard error is on the terminal.
 */
export function hear(child: ChildProcess, name: string): Promise<unknown> {
  return new Promise((done, failed) => {
    const fail = (code: number | null) => failed(new Error(`${name} ended with ${code} instead of an answer.`))
    child.once('exit', fail)
    child.once('message', message => {
      child.off('exit', fail)
      done(message)
    })
  })
}
