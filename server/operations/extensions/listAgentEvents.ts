import type { components } from '../../../generated/extensions/openapi.ts'
import type { Input, Output } from '../../../generated/extensions/operations.ts'
import type { AgentEvent } from '../../agent/agent-event.ts'
import type { AgentRun } from '../../agent/agent-run.ts'
import { followPollMs, followRun } from '../../agent/follow-run.ts'
import { maxStreamMs, maxStreams } from '../../tenancy/stream-limit.ts'
import type { Client } from '../client.ts'
import type { ExtensionDeps } from './deps.ts'
import { findRun, type RunDeps } from './getAgentRun.ts'

type EventDeps = RunDeps & Pick<ExtensionDeps, 'streamLimit' | 'now'>

const commentEveryMs = 15_000
const tooManyStreams = `The organization has ${maxStreams} open streams of events, which is the limit. Close one, or read the events without a stream.`

export async function listAgentEvents(
  { params, query, headers, mediaType }: Input<'listAgentEvents'>,
  deps: EventDeps,
  client: Client,
): Promise<Output<'listAgentEvents'>> {
  const run = await findRun(deps, client, params)
  if ('status' in run) return run
  if (mediaType === 'text/event-stream') {
    const after = Number(headers['last-event-id'] ?? query.after)
    const close = deps.streamLimit.open(client.organizationId)
    if (!close)
      return {
        ...{ status: 429, headers: { 'Retry-After': '10' } },
        body: { error: tooManyStreams, code: 'agent_limit' },
      }
    return { status: 200, mediaType, body: followEvents(deps, { run, after, close }) }
  }
  const events = await deps.agentRuns.listEvents(run.projectId, run.jobId, query.after, query.limit)
  return { status: 200, body: { events: events.map(toEventBody), state: run.state } }
}

function toEventBody({ sequence, at, kind, text, outcome }: AgentEvent): components['schemas']['AgentEvent'] {
  return { sequence, at: new Date(at).toISOString(), kind, text, outcome: outcome ?? null }
}

/** Writes events as server-sent events (HTML, 9.2), until the run has ended or the stream has lasted long enough. */
function followEvents(
  { agentRuns, now }: Pick<EventDeps, 'agentRuns' | 'now'>,
  { run, after, close }: { run: AgentRun; after: number; close: () => void },
): AsyncIterableIterator<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder()
  const startedAt = now()
  async function* write() {
    yield encoder.encode('retry: 1000\n\n')
    let quietMs = 0
    try {
      for await (const events of followRun(agentRuns, run, after)) {
        for (const event of events)
          yield encoder.encode(`id: ${event.sequence}\ndata: ${JSON.stringify(toEventBody(event))}\n\n`)
        quietMs = events.length > 0 ? 0 : quietMs + followPollMs
        if (quietMs >= commentEveryMs) {
          quietMs = 0
          yield encoder.encode(': still here\n\n')
        }
        if (now() - startedAt >= maxStreamMs) return
      }
    } finally {
      close()
    }
  }
  const parts = write()
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    next: () => parts.next(),
    // A generator that was not started runs no `finally`.
    async return() {
      close()
      await parts.return()
      return { done: true, value: undefined }
    },
  }
}
