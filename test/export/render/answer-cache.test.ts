import { expect, test } from 'vitest'
import { createAnswerCache } from '../../../server/export/render/answer-cache.ts'

const answer = (sizeBytes: number) => ({ status: 200, headers: {}, body: Buffer.alloc(sizeBytes) })

test('an answer is fetched once, even if it is requested again before it has arrived', async () => {
  const cache = createAnswerCache()
  let fetched = 0
  const fetch = async () => {
    fetched += 1
    return answer(1)
  }
  const first = await Promise.all([cache.get('a', fetch), cache.get('a', fetch)])
  expect([first[0] === first[1], await cache.get('a', fetch), fetched]).toEqual([true, first[0], 1])
})

test('a failure is not cached', async () => {
  const cache = createAnswerCache()
  await expect(cache.get('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect((await cache.get('a', async () => answer(1))).status).toBe(200)
})

test('the cache is emptied when its answers exceed 64 MB', async () => {
  const cache = createAnswerCache()
  cache.put('b', answer(1))
  await cache.get('a', async () => answer(64 * 1024 ** 2 + 1))
  const other = answer(2)
  expect([await cache.get('a', async () => other), await cache.get('b', async () => other)]).toEqual([other, other])
})
