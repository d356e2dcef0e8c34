import { spawn } from 'node:child_process'
import { waitFor } from './export-site.ts'

/**
 * Starts a proxy, and waits until a request through it is answered. Returns a function that ends it.
 *
 * @param ask sends a request, and fails while nobody listens.
 * @throws {Error} with what the proxy wrote if it ends before.
 */
export async function startProxy(
  [program = '', ...args]: readonly string[],
  ask: () => Promise<unknown>,
  env: NodeJS.ProcessEnv = process.env,
): Promise<() => Promise<void>> {
  const proxy = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let errors = ''
  proxy.stderr.on('data', chunk => {
    errors += chunk
  })
  const ended = new Promise<void>(done => proxy.once('exit', () => done()))
  const end = () => {
    proxy.kill('SIGTERM')
    return ended
  }
  try {
    await waitFor(async () => {
      if (proxy.exitCode !== null) throw new Error(`${program} ended: ${errors}`)
      return ask().catch(() => undefined)
    }, 20_000)
  } catch (error) {
    if (proxy.exitCode === null) await end()
    throw error
  }
  return end
}
