import { expect, test } from 'vitest'
import { createBackground, together } from '../../server/base/background.ts'

test('stops the parts once, one after the other, the last added first', async () => {
  const events: string[] = []
  const background = createBackground()
  const part = (name: string) => ({
    async stop() {
      events.push(`${name} stops`)
      await Promise.resolve()
      events.push(`${name} stopped`)
    },
  })
  const store = part('store')
  expect(background.add(store)).toBe(store)
  background.add(part('runner'))
  await background.stop()
  await background.stop()
  expect(events).toEqual(['runner stops', 'runner stopped', 'store stops', 'store stopped'])
})

test('parts added together stop at the same time', async () => {
  const server = Promise.withResolvers<void>()
  const stopped: string[] = []
  const stopping = together(
    { stop: () => server.promise.then(() => void stopped.push('server')) },
    { stop: () => void stopped.push('runner') },
  ).stop()
  expect(stopped).toEqual(['runner'])
  server.resolve()
  await stopping
  expect(stopped).toEqual(['runner', 'server'])
})
