import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A message of a server process to its parent: first its address, then, on request, its CPU time so far. */
export type ServerMessage = { url: string } | { cpuSeconds: number }

/** Serves on a free local port and sends the address to the parent. */
export async function serve(listener: RequestListener): Promise<void> {
  const server = createServer(listener)
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  reportAddress(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
}

/** Sends the address to the parent, answers its requests for CPU time, and exits when the parent ends. */
export function reportAddress(url: string): void {
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    send({ cpuSeconds: (user + system) / 1e6 })
  })
  process.on('disconnect', () => process.exit(0))
  send({ url })
}

function send(message: ServerMessage): void {
  process.send?.(message)
}

/** Returns a setting that the parent has set in the environment. */
export function setting(
  name: 'BENCH_DATA' | 'BENCH_DATABASE' | 'BENCH_LOG_LEVEL' | 'BENCH_LOG_FILE' | 'BENCH_METRICS',
): string {
  const value = process.env[name]
  if (value === undefined)
    throw new Error(`${name} is not set. Do not run this file directly; use: npm run bench -- http`)
  return value
}
