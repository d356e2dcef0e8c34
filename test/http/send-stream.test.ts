import { once } from 'node:events'
import { open as openFile } from 'node:fs/promises'
import { createServer, get, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import express from 'express'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { sendAndFree } from '../../server/http/send-and-free.ts'
import { sendParts, sendStream } from '../../server/http/send-stream.ts'

const part = new Uint8Array(64 * 1024).fill(0x61)

/** A body that counts how many of its parts were read, and remembers whether it was closed. */
class Body implements AsyncIterable<Uint8Array> {
  read = 0
  /** The time that each part takes. */
  pauseMs = 0
  readonly closed: Promise<void>
  #close = () => {}
  readonly #parts: number
  readonly #error: Error | undefined

  constructor(parts: number, error?: Error) {
    this.#parts = parts
    this.#error = error
    this.closed = new Promise(done => {
      this.#close = done
    })
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return {
      next: async () => {
        await new Promise(done => setTimeout(done, this.pauseMs))
        if (this.read < this.#parts) {
          this.read++
          return { value: part }
        }
        if (this.#error) throw this.#error
        return { done: true, value: undefined }
      },
      return: async () => {
        this.#close()
        return { done: true, value: undefined }
      },
    }
  }
}

let server: Server
let url: string
let body: Body
let sent: Promise<unknown>
let stallMs = 60_000
beforeAll(async () => {
  const app = express()
  app.get('/', async (_req, res, next) => {
    sent = sendParts(res.type('text/csv'), body, { stallMs }).then(
      () => 'sent',
      (error: Error) => {
        next(error)
        return error.message
      },
    )
    await sent
  })
  app.use(((_error, _req, res, _next) => {
    res.destroy()
  }) satisfies express.ErrorRequestHandler)
  server = createServer(app)
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

/** Requests the body, and returns the response before anything is read. */
async function open(
  parts: number,
  { error, pauseMs = 0 }: { error?: Error; pauseMs?: number } = {},
): Promise<IncomingMessage> {
  body = new Body(parts, error)
  body.pauseMs = pauseMs
  const [res] = (await once(get(url, { agent: false }), 'response')) as [IncomingMessage]
  return res
}

test('sends all parts', async () => {
  const res = await open(20)
  let bytes = 0
  for await (const chunk of res) bytes += chunk.length
  expect({ bytes, sent: await sent, read: body.read }).toEqual({ bytes: 20 * part.length, sent: 'sent', read: 20 })
  expect(res.headers['content-type']).toBe('text/csv; charset=utf-8')
})

test('reads no further than a client that does not read, and closes the body when it leaves', async () => {
  const res = await open(10_000)
  // The parts that fit into the buffers of the system have been read when the count stays the same.
  let before = -1
  while (before !== body.read) {
    before = body.read
    await new Promise(done => setTimeout(done, 100))
  }
  expect(body.read).toBeLessThan(500)
  res.destroy()
  await body.closed
  expect(await sent).toBe('sent')
})

test('disconnects a client that reads nothing', async () => {
  stallMs = 100
  try {
    const res = await open(10_000)
    await body.closed
    expect(await sent).toBe('sent')
    res.resume()
    await expect(once(res, 'end')).rejects.toThrow('aborted')
  } finally {
    stallMs = 60_000
  }
})

test('waits longer for a body than for a client', async () => {
  stallMs = 20
  try {
    const res = await open(3, { pauseMs: 200 })
    let bytes = 0
    for await (const chunk of res) bytes += chunk.length
    expect({ bytes, sent: await sent }).toEqual({ bytes: 3 * part.length, sent: 'sent' })
  } finally {
    stallMs = 60_000
  }
})

test('a body that fails breaks the connection, so that the client does not take it for the whole', async () => {
  const res = await open(3, { error: new Error('the disk is gone') })
  res.resume()
  await expect(once(res, 'end')).rejects.toThrow('aborted')
  expect(await sent).toBe('the disk is gone')
})

/** Answers a request with a stream whose chunks are freed. Returns the response, and later what the sender throws. */
async function answer(chunks: Readable): Promise<[IncomingMessage, Promise<unknown>]> {
  const sent = Promise.withResolvers<unknown>()
  const app = express()
  app.get('/', (_req, res) => {
    sent.resolve(sendAndFree(res, chunks).catch(error => error))
  })
  const other = app.listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const [res] = (await once(get({ port, host: '127.0.0.1', agent: false }), 'response')) as [IncomingMessage]
  return [res, sent.promise]
}

test('chunks with memory of their own are freed when they are sent, and those that share it stay', async () => {
  const shared = Buffer.from('shared memory').subarray(0, 6)
  const chunks = [Buffer.alloc(100_000, 'a'), shared, Buffer.alloc(100_000, 'b')]
  const [res, sent] = await answer(Readable.from([...chunks]))
  const body = await buffer(res)
  expect(await sent).toBeUndefined()
  expect(body.equals(Buffer.from(`${'a'.repeat(100_000)}shared${'b'.repeat(100_000)}`))).toBe(true)
  expect(chunks.map(chunk => chunk.length)).toEqual([0, 6, 0])
})

test('a stream whose chunks are freed is closed when the client leaves', async () => {
  const endless = new Readable({ read: () => void endless.push(Buffer.alloc(100_000)) })
  const closed = new Promise(done => endless.once('close', done))
  const [res, sent] = await answer(endless)
  res.destroy()
  await closed
  expect(await sent).toBeUndefined()
})

test('a stream whose chunks are freed breaks the connection when it fails', async () => {
  const arrived = Promise.withResolvers<void>()
  async function* fail() {
    yield Buffer.alloc(10)
    await arrived.promise
    throw new Error('the storage is gone')
  }
  const [res, sent] = await answer(Readable.from(fail()))
  const ended = once(res.resume(), 'end')
  arrived.resolve()
  await expect(ended).rejects.toThrow('aborted')
  expect(await sent).toEqual(new Error('the storage is gone'))
})

test('a client that leaves with the last byte has had the whole answer, also if the storage ends later', async () => {
  const left = Promise.withResolvers<void>()
  const atEnd = Promise.withResolvers<boolean>()
  async function* read() {
    yield Buffer.alloc(100_000)
    await left.promise
  }
  const app = express()
  app.get('/', (_req, res) => {
    res.set('Content-Length', '100000').once('close', () => atEnd.resolve(res.writableFinished))
    void sendAndFree(res, Readable.from(read()))
  })
  const other = app.listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const [res] = (await once(get({ port, host: '127.0.0.1', agent: false }), 'response')) as [IncomingMessage]
  expect(await buffer(res)).toHaveLength(100_000)
  res.destroy()
  expect(await atEnd.promise).toBe(true)
  left.resolve()
})

test.for([
  ['sendStream', sendStream],
  ['sendAndFree', sendAndFree],
] as const)('%s closes a file when the client went away before it was opened', async ([, send]) => {
  const sent = Promise.withResolvers<unknown>()
  const arrived = Promise.withResolvers<void>()
  const app = express()
  app.get('/', async (req, res) => {
    arrived.resolve()
    await once(req.socket, 'close')
    const handle = await openFile(import.meta.filename)
    const file = handle.createReadStream()
    const closed = once(file, 'close')
    sent.resolve(send(res, file).then(() => closed))
  })
  const other = app.listen(0, '127.0.0.1')
  await once(other, 'listening')
  const request = get(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`)
  request.on('error', () => {})
  await arrived.promise
  request.destroy()
  await sent.promise
  other.close()
})
