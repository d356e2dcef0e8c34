import type { RunnerTaskResultPack, RunnerTestSuite } from 'vitest'

/** Marks all tests of a suite as skipped, so that its hooks do not run either. Returns what a runner tells vitest about it. */
export function skipSuite(suite: RunnerTestSuite): RunnerTaskResultPack[] {
  suite.mode = 'skip'
  return suite.tasks.flatMap(task => {
    task.mode = 'skip'
    return task.type === 'suite' ? skipSuite(task) : [[task.id, { state: 'skip' }, task.meta]]
  })
}
