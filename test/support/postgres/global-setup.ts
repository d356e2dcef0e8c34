import type { TestProject } from 'vitest/node'
import { serveOnDemand } from '../on-demand.ts'
import { startPostgres } from './start-postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers with a `FoundPostgres` as JSON. */
    postgresUrl: string
  }
}

/** One PostgreSQL is for all files of a test run; each file has its own database. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const { url, stop } = await serveOnDemand(startPostgres)
  project.provide('postgresUrl', url)
  return stop
}
