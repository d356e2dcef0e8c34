import { type ChildProcess, fork } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

export interface Prism {
  /** Such as http://127.0.0.1:41234, without a trailing slash. */
  url: string
  /** Settles when Prism exits, by `stop` or unexpectedly. */
  ended: Promise<void>
  stop(): void
}

const startTimeoutMs = 30_000

/**
 * Starts Prism on a document, on a free port of the loopback interface.
 *
 * @throws {Error} with the output of Prism when it does not start.
 */
export async function startPrism(documentFile: string): Promise<Prism> {
  const entry = join(
    dirname(createRequire(import.meta.url).resolve('@stoplight/prism-cli/package.json')),
    'dist',
    'index.js',
  )
  const child = fork(entry, ['mock', '--host', '127.0.0.1', '--port', '0', documentFile], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // Ends Prism when this process ends in any way.
    execArgv: ['--import', 'data:text/javascript,process.on("disconnect",()=>process.exit())'],
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' },
  })
  const ended = new Promise<void>(done => child.once('exit', () => done()))
  const stop = () => void child.kill()
  try {
    return { url: await waitForUrl(child), ended, stop }
  } catch (error) {
    stop()
    throw error
  }
}

/** Waits for the address that Prism prints once it listens; later output, a paragraph per request, is discarded. */
function waitForUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output: string | undefined = ''
    const fail = (reason: string) => {
      clearTimeout(timer)
      reject(new Error(`Prism ${reason}:\n${output?.trim()}`))
    }
    const timer = setTimeout(() => fail(`did not start within ${startTimeoutMs / 1000} seconds`), startTimeoutMs)
    const read = (chunk: Buffer) => {
      if (output === undefined) return
      output += chunk
      const url = /listening on (http:\/\/\S+)/.exec(output)?.[1]
      if (!url) return
      output = undefined
      clearTimeout(timer)
      resolve(url)
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('error', error => fail(error.message))
    child.once('exit', code => fail(`ended with exit code ${code}`))
  })
}
