import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { alone } from '../../server/base/exclusively.ts'
import { startRetirement } from '../../server/base/retire-old.ts'
import { waitFor } from '../support/export-site.ts'

test('what is old is archived in batches, and requests get their turn in between', async () => {
  let left = 2500
  const limits: number[] = []
  let turns = 0
  let isDone = false
  const countTurns = async () => {
    for (; !isDone; turns++) await nextTurn()
  }
  const counting = countTurns()
  const turnsBefore: number[] = []
  function retire(_before: number, _now: number, limit: number) {
    limits.push(limit)
    turnsBefore.push(turns)
    const archived = Math.min(left, limit)
    left -= archived
    return archived
  }
  const logged: object[] = []
  const retention = startRetirement({
    what: 'agent jobs',
    done: 'archived',
    retire,
    retentionDays: 30,
    exclusively: alone,
    clock: { isTrusted: async () => true },
    log: { info: details => logged.push(details), error() {} },
  })
  await waitFor(async () => (logged.length > 0 ? true : undefined))
  isDone = true
  await counting
  await retention.stop()
  expect(limits).toEqual([1000, 1000, 1000])
  expect(new Set(turnsBefore).size).toBe(3)
  expect(logged).toEqual([{ archived: 2500, retentionDays: 30 }])
})
