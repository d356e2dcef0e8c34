import { type RunnerTaskResultPack, type RunnerTestFile, TestRunner } from 'vitest'
import { skipSuite } from './skip-suite.ts'

/** Runs test files until the time in QUIRE_TEST_UNTIL (RFC 3339), and skips those that would begin later. */
export default class DeadlineRunner extends TestRunner {
  /** Set by vitest: tells it the states of tests. */
  declare onTaskUpdate: (states: RunnerTaskResultPack[], events: []) => Promise<void>

  async onCollected(files: RunnerTestFile[]): Promise<void> {
    const until = process.env.QUIRE_TEST_UNTIL
    if (until === undefined) return
    const at = Date.parse(until)
    if (Number.isNaN(at)) throw new Error(`QUIRE_TEST_UNTIL=${until}: give a time such as 2026-11-28T06:30:00Z.`)
    if (Date.now() < at) return
    for (const file of files) {
      console.log(`${file.name} is skipped: the run has no time left (--minutes).`)
      // Vitest has listed the tests before.
      await this.onTaskUpdate(skipSuite(file), [])
    }
  }
}
