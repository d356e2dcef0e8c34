import type { TestProject } from 'vitest/node'
import { serveOnDemand } from '../on-demand.ts'
import { startSwift } from './start-swift.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers with the endpoint of the S3-compatible storage as JSON. */
    s3Url: string
  }
}

/** One storage is for all files of a test run; each file has its own bucket. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const { url, stop } = await serveOnDemand(startSwift)
  project.provide('s3Url', url)
  return stop
}
