import { expect, test } from 'vitest'
import type { NewAgentEvent } from '../../../server/agent/agent-event.ts'
import type { RunError } from '../../../server/agent/run-end.ts'
import { createAgentEvents } from '../../../server/agent/session/agent-events.ts'

function start(maxEvents = 100) {
  const events: NewAgentEvent[] = []
  const errors: RunError[] = []
  return {
    events,
    errors,
    ...createAgentEvents(
      maxEvents,
      event => events.push(event),
      error => errors.push(error),
    ),
  }
}

const chunk = (text: unknown, sessionUpdate = 'agent_message_chunk') => ({
  sessionUpdate,
  content: { type: 'text', text },
})

test('parts of a message become one event, which ends where something else begins', () => {
  const { take, flush, events } = start()
  for (const text of ['Fix', 'ed ', 'it.']) take(chunk(text))
  take(chunk('Hm.', 'agent_thought_chunk'))
  take(chunk('Done.'))
  take({ sessionUpdate: 'plan', entries: [{ content: 'a', status: 'completed' }, { content: 'b' }] })
  take(chunk('  '))
  flush()
  expect(events).toEqual([
    { kind: 'message', text: 'Fixed it.' },
    { kind: 'thought', text: 'Hm.' },
    { kind: 'message', text: 'Done.' },
    { kind: 'plan', text: '[x] a\n[ ] b' },
  ])
})

test('parts of a message become an event after a pause, and when they are long', async () => {
  const { take, events } = start()
  take(chunk('x'.repeat(3000)))
  expect(events.length).toBe(1)
  take(chunk('y'))
  await expect.poll(() => events.length).toBe(2)
})

test('a use of a tool has an event when it begins and when it ends, with the last title', () => {
  const { take, events } = start()
  take({ sessionUpdate: 'tool_call', toolCallId: '1', title: 'edit', status: 'pending' })
  take({ sessionUpdate: 'tool_call_update', toolCallId: '1', title: 'Edit a.md', status: 'in_progress' })
  take({ sessionUpdate: 'tool_call_update', toolCallId: '1', status: 'completed' })
  expect(events).toEqual([
    { kind: 'tool', text: 'edit', outcome: 'started' },
    { kind: 'tool', text: 'Edit a.md', outcome: 'completed' },
  ])
})

test('updates of any form do no harm', () => {
  const { take, flush, events, usage } = start()
  const odd = [
    null,
    1,
    [],
    {},
    { sessionUpdate: 7 },
    { sessionUpdate: 'plan' },
    { sessionUpdate: 'tool_call' },
    chunk(7),
  ]
  for (const update of odd) take(update)
  for (const cost of [null, 1, { amount: -1, currency: 'EUR' }, { amount: 1, currency: 'euro' }])
    take({ sessionUpdate: 'usage_update', cost })
  flush()
  expect(events.map(({ kind }) => kind)).toEqual(['plan', 'tool'])
  expect(usage.cost).toBeNull()
})

test('long texts are shortened', () => {
  const { add, events } = start()
  add({ kind: 'message', text: 'x'.repeat(9000) })
  expect(events[0]?.text).toHaveLength(8000)
  expect(events[0]?.text).toMatch(/x…$/)
})

test('more events than allowed are not told, but that they were too many, once', () => {
  const { add, events, errors } = start(2)
  for (const text of ['a', 'b', 'c', 'd']) add({ kind: 'message', text })
  expect(events.map(({ text }) => text)).toEqual(['a', 'b'])
  expect(errors.map(({ code }) => code)).toEqual(['resource_limit'])
})

test('the usage of the turns is added up, and the last cost counts', () => {
  const { take, addUsage, usage } = start()
  addUsage({ inputTokens: 5, outputTokens: 1 })
  addUsage({ inputTokens: 7, outputTokens: -1 })
  addUsage({ input_tokens: 1, output_tokens: 1 })
  addUsage(null)
  take({ sessionUpdate: 'usage_update', cost: { amount: 0.1, currency: 'USD' } })
  take({ sessionUpdate: 'usage_update', cost: { amount: 0.3, currency: 'USD' } })
  expect(usage).toEqual({ inputTokens: 13, outputTokens: 2, cost: { amount: 0.3, currency: 'USD' } })
})
