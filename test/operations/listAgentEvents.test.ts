import { expect, test, vi } from 'vitest'
import type { AgentRun } from '../../server/agent/agent-run.ts'
import type { Client } from '../../server/operations/client.ts'
import { listAgentEvents } from '../../server/operations/extensions/listAgentEvents.ts'
import { createStreamLimit, maxStreamMs, maxStreams } from '../../server/tenancy/stream-limit.ts'

const run = { projectId: 'prj_1', jobId: 'aj_1', state: 'running' } as AgentRun
const event = { sequence: 1, at: 0, kind: 'message', text: 'begun' } as const
const clock = { now: 0 }
const now = () => clock.now
const deps = {
  ...{ now, streamLimit: createStreamLimit(now) },
  projects: { findOwned: () => ({ id: 'prj_1', organizationId: 'org_1' }) },
  agentJobs: { find: () => undefined },
  agentRuns: { find: () => run, listEvents: (_: string, __: string, after: number) => (after < 1 ? [event] : []) },
} as unknown as Parameters<typeof listAgentEvents>[1]

async function open(organizationId = 'org_1') {
  const input = { params: { projectId: 'prj_1', id: 'aj_1' }, query: { after: 0, limit: 100 }, headers: {} }
  const given = { ...input, mediaType: 'text/event-stream' } as Parameters<typeof listAgentEvents>[0]
  const answer = await listAgentEvents(given, deps, { organizationId, projectIds: null } as Client)
  return { answer, stream: (answer.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]?.() }
}

test('an organization has only so many streams open, also if nothing of them is read', async () => {
  const opened = await Promise.all(Array.from({ length: maxStreams }, () => open()))
  const { answer } = await open()
  expect(answer).toMatchObject({ status: 429, headers: { 'Retry-After': '10' }, body: { code: 'agent_limit' } })
  expect((await open('org_2')).answer.status).toBe(200)
  await opened[0]?.stream.return?.()
  expect((await open()).answer.status).toBe(200)
  expect((await open()).answer.status).toBe(429)
})

test('a stream of a run that goes on ends after 10 minutes, and says when to connect again', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  try {
    const { stream } = await open('org_3')
    const next = async () => {
      const { done, value } = await stream.next()
      return done ? undefined : Buffer.from(value).toString()
    }
    expect(await next()).toBe('retry: 1000\n\n')
    expect(await next()).toContain('id: 1\ndata: {"sequence":1,')
    clock.now += maxStreamMs
    expect(await next()).toBeUndefined()
  } finally {
    vi.useRealTimers()
  }
})
