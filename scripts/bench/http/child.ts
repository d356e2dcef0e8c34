import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a server process of the benchmark tells its parent: first where it serves, then, when asked, its CPU time so far. */
export type Told = { url: string } | { cpuSeconds: number }

/** Serves on a free port of this machine and tells the parent where. */
export async function serve(listener: RequestListener): Promise<void> {
  const server = createServer(listener)
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  tellParent(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
}

/** Tells the parent where this process serves, answers its questions for CPU time, and ends when it is gone. */
export function tellParent(url: string): void {
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    tell({ cpuSeconds: (user + system) / 1e6 })
  })
  process.on('disconnect', () => process.exit(0))
  tell({ url })
}

function tell(told: Told): void {
  process.send?.(told)
}

/** A setting that the parent puts into the environment. */
export function setting(name: 'BENCH_DATA' | 'BENCH_LOG_LEVEL' | 'BENCH_LOG_FILE'): string {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set. This file is started by: npm run bench -- http`)
  return value
}
