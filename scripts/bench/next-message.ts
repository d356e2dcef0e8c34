import type { ChildProcess } from 'node:child_process'

/**
 * Waits for the next message of a child process.
 *
 * @param name name of the process in the error message
 * @throws {Error} when the process ends instead; its standard error is on the terminal.
 */
export function nextMessage(child: ChildProcess, name: string): Promise<unknown> {
  return new Promise((done, failed) => {
    const fail = (code: number | null) => failed(new Error(`${name} exited with code ${code} before it answered.`))
    child.once('exit', fail)
    child.once('message', message => {
      child.off('exit', fail)
      done(message)
    })
  })
}
