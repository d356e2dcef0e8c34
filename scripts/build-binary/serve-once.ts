import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { OperatorError } from '../../server/base/operator-error.ts'

/**
 * Runs `quire serve` on a new data folder until it has answered a request.
 *
 * @throws {OperatorError} with its output when it does not answer.
 */
export async function serveOnce(program: string, dataFolder: string): Promise<void> {
  const args = ['serve', '--port', '0', '--drain-seconds', '0', '--log-style', 'json', '--data', dataFolder]
  // Settings of the user, such as those of Node, would change what is compiled.
  const env = { PATH: process.env.PATH, XDG_CACHE_HOME: `${dataFolder}-cache` }
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  const ended = once(child, 'close')
  try {
    const url = await new Promise<string>((found, failed) => {
      child.stderr.on('data', chunk => {
        output += chunk
      })
      child.stdout.on('data', chunk => {
        output += chunk
        const url = /"url":"([^"]+)"/.exec(output)?.[1]
        if (url !== undefined) found(url)
      })
      ended.then(() => failed(new OperatorError(`The binary does not start: ${output.trim()}`)), failed)
    })
    const response = await fetch(`${url}/readyz`)
    if (!response.ok) throw new OperatorError(`The binary answers ${response.status}: ${await response.text()}`)
  } finally {
    child.kill('SIGTERM')
    await ended.catch(() => undefined)
  }
}
