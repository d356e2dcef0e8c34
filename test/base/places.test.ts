import { expect, test } from 'vitest'
import { createPlaces } from '../../server/base/places.ts'

const settle = () => new Promise<void>(done => setImmediate(done))

test('the place after the last one is taken when one is freed, in the order of the calls', async () => {
  const places = createPlaces(2)
  const taken: string[] = []
  const take = async (name: string) => {
    const free = await places.take('a')
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

test('each key has its own places, and freed places can be taken again', async () => {
  const places = createPlaces(1)
  const free = await places.take('a')
  ;(await places.take('b'))()
  free()
  ;(await places.take('a'))()
  expect(await places.take('a')).toBeTypeOf('function')
})
