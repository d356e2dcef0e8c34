import { setTimeout as pause } from 'node:timers/promises'
import { OperatorError } from '../base/operator-error.ts'
import type { AgentJob, AgentJobs } from './agent-job.ts'

/** Jobs of one transaction. It holds the lock of the database for about 20 ms. */
const batchJobs = 2000
/** Between two transactions, other processes get the lock. A server that waits for it tries again every 10 ms. */
const pauseMs = 25

/**
 * Inserts jobs in batches, so that other processes can write in between. Existing jobs stay unchanged. Returns the number of
 * inserted jobs.
 *
 * @throws {OperatorError} when a batch fails. The batches before it stay, and the next import continues after them.
 */
export async function importAgentJobs(
  agentJobs: Pick<AgentJobs, 'insertAll'>,
  jobs: readonly AgentJob[],
): Promise<number> {
  let imported = 0
  for (let start = 0; start < jobs.length; start += batchJobs) {
    if (start > 0) await pause(pauseMs)
    try {
      imported += await agentJobs.insertAll(jobs.slice(start, start + batchJobs))
    } catch (error) {
      if (start === 0) throw error
      const reason = error instanceof Error ? error.message : String(error)
      throw new OperatorError(
        `The import stopped after ${imported} jobs: ${reason}. Run the command again to import the rest.`,
        1,
        { cause: error },
      )
    }
  }
  return imported
}
