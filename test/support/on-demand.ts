import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A service that all test files of a run share. */
export interface StartedService<Found> {
  /** Where it is, or why there is none, as JSON can say it. */
  found: Found
  stop(): Promise<void>
}

export interface OnDemand {
  /** Answers with `found` as JSON. The first request starts the service. */
  url: string
  stop(): Promise<void>
}

/** Serves the place of a service, which `start` starts when the first test file asks for it. */
export async function serveOnDemand(start: () => Promise<StartedService<unknown>>): Promise<OnDemand> {
  let started: ReturnType<typeof start> | undefined
  const server = createServer(async (_, response) => {
    started ??= start()
    await started.then(
      ({ found }) => response.end(JSON.stringify(found)),
      error => response.writeHead(500).end(String(error)),
    )
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async stop() {
      server.close()
      server.closeAllConnections()
      await (await started?.catch(() => undefined))?.stop()
    },
  }
}

/** Asks `serveOnDemand` for the place of the service. */
export async function findOnDemand<Found>(url: string): Promise<Found> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(await response.text())
  return (await response.json()) as Found
}
