import { expect, test } from 'vitest'
import { createQueue } from '../../server/base/queue.ts'

const settle = () => new Promise<void>(done => setImmediate(done))

test('a task that adds a task before its first await runs once', async () => {
  const queue = createQueue(4)
  let outer = 0
  let inner = 0
  void queue.add(async () => {
    outer += 1
    void queue.add(async () => {
      inner += 1
    })
    await settle()
  })
  await queue.idle()
  expect([outer, inner]).toEqual([1, 1])
})

test('no more tasks run at once than allowed, in the order they were added', async () => {
  const queue = createQueue(2)
  let running = 0
  let maxRunning = 0
  const started: number[] = []
  const tasks = Array.from({ length: 3000 }, (_, number) =>
    queue.add(async () => {
      started.push(number)
      running += 1
      maxRunning = Math.max(maxRunning, running)
      await (number % 100 === 0 ? settle() : undefined)
      running -= 1
      return number
    }),
  )
  expect(await Promise.all(tasks)).toEqual(started)
  expect(maxRunning).toBe(2)
})

test('a task that fails rejects its promise, and the others run', async () => {
  const queue = createQueue(1)
  const failed = queue.add(() => Promise.reject(new Error('no')))
  const next = queue.add(async () => 'done')
  await expect(failed).rejects.toThrow('no')
  await expect(next).resolves.toBe('done')
})

test('idle resolves at once when there is nothing to do', async () => {
  await expect(createQueue(1).idle()).resolves.toBeUndefined()
})
