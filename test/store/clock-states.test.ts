import { expect, test } from 'vitest'
import type { ClockState } from '../../server/base/clock-check.ts'
import { shareTests, type TestStore } from './stores.ts'

let store: TestStore
const stores = shareTests(async opened => {
  store = opened.store
})

stores.describe('the state of the clock', () => {
  test('is replaced by what is made of the last one; the first has none', async () => {
    const seen: (ClockState | undefined)[] = []
    const replaceWith = async (next: ClockState) =>
      store.clockStates.replace(last => {
        seen.push(last)
        return next
      })
    await replaceWith({ checkedAt: 10, doubtedAt: null })
    await replaceWith({ checkedAt: 20, doubtedAt: 15 })
    await replaceWith({ checkedAt: 30, doubtedAt: null })
    expect(seen).toEqual([undefined, { checkedAt: 10, doubtedAt: null }, { checkedAt: 20, doubtedAt: 15 }])
  })

  test('stays as it was when its replacement fails', async () => {
    await store.clockStates.replace(() => ({ checkedAt: 10, doubtedAt: null }))
    const fail = async () =>
      store.clockStates.replace(() => {
        throw new Error('no')
      })
    await expect(fail()).rejects.toThrow('no')
    let last: ClockState | undefined
    await store.clockStates.replace(before => {
      last = before
      return { checkedAt: 20, doubtedAt: null }
    })
    expect(last).toEqual({ checkedAt: 10, doubtedAt: null })
  })
})
