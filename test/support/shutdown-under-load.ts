import { setTimeout as pause } from 'node:timers/promises'
import { type ServeProcess, startServe } from './process.ts'
import { type LoadOptions, type LoadResult, startLoad } from './steady-load.ts'

/**
 * Starts a server, sends it 200 requests a second, half of them on new connections, and ends it with SIGTERM. The load goes on
 * until nobody listens.
 */
async function shutDownUnderLoad(
  dataFolder: string,
  requests: LoadOptions['requests'],
): Promise<{ result: LoadResult; exitCode: number | null }> {
  const server: ServeProcess = await startServe(['--data', dataFolder, '--drain-seconds', '1'])
  const load = startLoad({ url: server.url, perSecond: 200, requests, keptShare: 0.5 })
  await load.answered(100)
  const exitCode = await server.end('SIGTERM')
  await pause(50)
  return { result: await load.stop(), exitCode }
}

/**
 * Repeats a shutdown that broke connections, four times at most. A busy machine can stop the server between its last look
 * for new connections and the end of listening; the system then resets what came in between. A server that resets connections
 * by itself does so each time.
 */
export async function shutDownCleanly(
  dataFolder: string,
  requests: LoadOptions['requests'],
): Promise<{ result: LoadResult; exitCode: number | null; attempts: number }> {
  for (let attempts = 1; ; attempts++) {
    const shutdown = await shutDownUnderLoad(dataFolder, requests)
    if (attempts === 5 || Object.keys(shutdown.result.broken).length === 0) return { ...shutdown, attempts }
  }
}
