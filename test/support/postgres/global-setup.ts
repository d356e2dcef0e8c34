import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestProject } from 'vitest/node'
import { type StartedPostgres, startPostgres } from './start-postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers with a `FoundPostgres` as JSON. */
    postgresUrl: string
  }
}

/**
 * Serves the address of the PostgreSQL of this test run, and starts it when the first test file asks. One server is for all files; each
 * file has its own database.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  let started: Promise<StartedPostgres> | undefined
  const server = createServer(async (_, response) => {
    started ??= startPostgres()
    response.end(JSON.stringify((await started).found))
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  project.provide('postgresUrl', `http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  return async () => {
    server.close()
    server.closeAllConnections()
    await (await started)?.stop()
  }
}
