import type { AgentEvent } from './agent-event.ts'
import type { AgentRun, AgentRuns } from './agent-run.ts'

export const followPollMs = 400
const eventsAtATime = 200

/**
 * Reads the events of a run after one of them, until the run has ended. The store is asked, because another process may run the agent.
 * A list without events means that the next question waits for `followPollMs`.
 */
export async function* followRun(
  agentRuns: Pick<AgentRuns, 'find' | 'listEvents'>,
  { projectId, jobId }: Pick<AgentRun, 'projectId' | 'jobId'>,
  after: number,
): AsyncGenerator<readonly AgentEvent[], void, undefined> {
  for (let last = after; ; ) {
    // Read before the events, so that the last ones are not missed.
    const run = await agentRuns.find(projectId, jobId)
    const events = await agentRuns.listEvents(projectId, jobId, last, eventsAtATime)
    last = events.at(-1)?.sequence ?? last
    if (events.length > 0) yield events
    if (events.length === eventsAtATime) continue
    if (run === undefined || run.state === 'ended') return
    yield []
    await new Promise(done => setTimeout(done, followPollMs))
  }
}
