import { once } from 'node:events'
import { Agent, createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { readIntoOneBuffer } from '../../../server/store/s3/s3-client.ts'
import { createRandomBytes } from '../../support/random.ts'

test('two bodies are whole that wait for their reader while all sockets read into one buffer', async ({
  onTestFinished,
}) => {
  const bodies = ['a', 'b'].map(name => createRandomBytes(name, 4 * 1024 ** 2))
  const server = createServer(({ url }, res) => void res.end(bodies[Number(url?.slice(1))]))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  // Not in the types, but given to each socket.
  const options = { keepAlive: true, onread: readIntoOneBuffer() }
  const agent = new Agent(options)
  onTestFinished(() => {
    agent.destroy()
    server.close()
  })
  const request = async (path: string) =>
    ((await once(get({ host: '127.0.0.1', port, path, agent }), 'response')) as [IncomingMessage])[0]
  // Chunks of the first wait in memory while the second is read.
  const [first, second] = [await request('/0'), await request('/1')]
  expect((await buffer(second)).equals(bodies[1] as Buffer)).toBe(true)
  expect((await buffer(first)).equals(bodies[0] as Buffer)).toBe(true)
  // A connection that was used is used again.
  expect((await buffer(await request('/0'))).equals(bodies[0] as Buffer)).toBe(true)
})
