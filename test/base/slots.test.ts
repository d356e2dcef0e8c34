import { expect, test } from 'vitest'
import { createSlots } from '../../server/base/slots.ts'

const settle = () => new Promise<void>(done => setImmediate(done))

test('the slot after the last one is taken when one is freed, in the order of the calls', async () => {
  const slots = createSlots(2)
  const taken: string[] = []
  const take = async (name: string) => {
    const free = await slots.take('a')
    taken.push(name)
    return free
  }
  const all = ['first', 'second', 'third', 'fourth'].map(take)
  await settle()
  expect(taken).toEqual(['first', 'second'])
  const freeSecond = await (all[1] as Promise<() => void>)
  freeSecond()
  freeSecond()
  await settle()
  expect(taken).toEqual(['first', 'second', 'third'])
  const freeFirst = await (all[0] as Promise<() => void>)
  freeFirst()
  await settle()
  expect(taken).toEqual(['first', 'second', 'third', 'fourth'])
})

test('each key has its own slots, and freed slots can be taken again', async () => {
  const slots = createSlots(1)
  const free = await slots.take('a')
  ;(await slots.take('b'))()
  free()
  ;(await slots.take('a'))()
  expect(await slots.take('a')).toBeTypeOf('function')
})
