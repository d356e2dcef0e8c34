import { expect, test } from 'vitest'
import { createEventBuffer } from '../../../server/agent/run/event-buffer.ts'

test('events that cannot be stored are told of, and later ones are stored in their order', async () => {
  const stored: string[] = []
  const lost: unknown[] = []
  let isBroken = true
  const buffer = createEventBuffer(
    async events => {
      if (isBroken) throw new Error('the disk is full')
      stored.push(...events.map(({ text }) => text))
    },
    (error, events) => lost.push([(error as Error).message, events]),
  )
  for (const text of ['a', 'b']) buffer.add({ kind: 'message', text })
  await expect.poll(() => lost).toEqual([['the disk is full', 2]])
  isBroken = false
  buffer.add({ kind: 'message', text: 'c' })
  await expect.poll(() => stored).toEqual(['c'])
  buffer.add({ kind: 'message', text: 'd' })
  await buffer.flush()
  expect(stored).toEqual(['c', 'd'])
})
