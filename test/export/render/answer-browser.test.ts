import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { createAnswerCache } from '../../../server/export/render/answer-browser.ts'

const folder = mkdtempSync(join(tmpdir(), 'quire-answers-'))
afterAll(() => rmSync(folder, { recursive: true }))

const answer = (sizeBytes: number) => ({ status: 200, headers: {}, body: Buffer.alloc(sizeBytes) })

test('an answer is fetched once, even if it is requested again before it has arrived', async () => {
  const cache = createAnswerCache(join(folder, 'answers'))
  let fetched = 0
  const fetch = async () => {
    fetched += 1
    return answer(1)
  }
  const first = await Promise.all([cache.get('a', fetch), cache.get('a', fetch)])
  expect([first[0] === first[1], await cache.get('a', fetch), fetched]).toEqual([true, first[0], 1])
})

test('a failure is not cached', async () => {
  const cache = createAnswerCache(join(folder, 'answers'))
  await expect(cache.get('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect((await cache.get('a', async () => answer(1))).status).toBe(200)
})

test('what memory has no room for is read from the disk, and not fetched again', async () => {
  const cache = createAnswerCache(join(folder, 'answers'))
  cache.put('small', answer(1))
  const large = ['x', 'y', 'z'].map(text => ({ ...answer(0), body: Buffer.alloc(40 * 1024 ** 2, text) }))
  await Promise.all(large.map((each, at) => cache.get(String(at), async () => each)))
  const again = await Promise.all(large.map((_, at) => cache.get(String(at), () => Promise.reject(new Error('again')))))
  expect(again.map(({ body }, at) => body.equals(large[at]?.body ?? Buffer.alloc(0)))).toEqual([true, true, true])
  expect(again.map(({ status, headers }) => ({ status, headers }))).toEqual(Array(3).fill({ status: 200, headers: {} }))
  expect(statSync(join(folder, 'answers')).size).toBe(80 * 1024 ** 2)
})

test('what the disk has no room for is fetched again', async () => {
  const cache = createAnswerCache(join(folder, 'no-folder', '\0'))
  const large = answer(65 * 1024 ** 2)
  await cache.get('large', async () => large)
  await vi.waitFor(async () => expect(await cache.get('large', async () => answer(1))).toEqual(answer(1)), 20_000)
})
