import { type RunnerTaskResultPack, type RunnerTestFile, TestRunner } from 'vitest'
import { skipSuite } from '../skip-suite.ts'
import { findPostgres } from './test-database.ts'

/** Runs the tests of a project that needs a PostgreSQL. Without one, it says why and skips them. */
export default class SkippingRunner extends TestRunner {
  /** Set by vitest: tells it the states of tests. */
  declare onTaskUpdate: (states: RunnerTaskResultPack[], events: []) => Promise<void>

  async onCollected(files: RunnerTestFile[]): Promise<void> {
    const found = await findPostgres()
    if (!('missing' in found)) return
    for (const file of files) {
      console.log(`${file.name} is skipped on PostgreSQL: ${found.missing}`)
      // Vitest has listed the tests before.
      await this.onTaskUpdate(skipSuite(file), [])
    }
  }
}
