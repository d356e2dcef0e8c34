import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { createGracefulClose, type GracefulCloseOptions } from '../../server/http/graceful-close.ts'

let server: Server
let sockets: Socket[] = []
let serverSockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets) socket.destroy()
  sockets = []
  server.closeAllConnections()
})

async function start(listener: RequestListener, options: Partial<GracefulCloseOptions> = {}) {
  server = createServer()
  const closing = createGracefulClose(server, {
    drainMs: 0,
    answerLate: res => void res.writeHead(503, { 'Content-Length': 4 }).end('late'),
    ...options,
  })
  server.on('request', closing.counting(listener))
  serverSockets = []
  server.on('connection', socket => serverSockets.push(socket))
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  return closing
}

interface Client {
  socket: Socket
  /** Everything received so far. */
  text(): string
  /** How the server ended the connection: 'end', or the code of an error. */
  ended: Promise<string>
}

async function open(): Promise<Client> {
  const { port } = server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  sockets.push(socket)
  let received = ''
  socket.on('data', chunk => {
    received += chunk
  })
  const ended = new Promise<string>(done => {
    socket.on('end', () => done('end'))
    socket.on('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message))
  })
  await once(socket, 'connect')
  return { socket, text: () => received, ended }
}

async function receive(client: Client, text: string): Promise<void> {
  while (!client.text().includes(text)) await once(client.socket, 'data')
}

/** Waits until the server has read something. */
async function untilRead(): Promise<void> {
  while (serverSockets.every(({ bytesRead }) => bytesRead === 0)) await pause(5)
}

const ok: RequestListener = (req, res) => {
  req.resume().on('end', () => res.end('ok'))
}
const get = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

test('an idle connection is closed without a reset, and the server ends', async () => {
  const closing = await start(ok)
  const client = await open()
  client.socket.write(get)
  await receive(client, 'ok')
  await closing.stop()
  expect(await client.ended).toBe('end')
})

test('while it drains, new and known connections are answered and told to close', async () => {
  const closing = await start(ok, { drainMs: 300 })
  const known = await open()
  known.socket.write(get)
  await receive(known, 'keep-alive')
  const stopped = closing.stop()
  known.socket.write(get)
  await receive(known, 'Connection: close')
  const fresh = await open()
  fresh.socket.write(get)
  await receive(fresh, 'Connection: close')
  expect(await Promise.all([known.ended, fresh.ended])).toEqual(['end', 'end'])
  await stopped
  expect(server.listening).toBe(false)
})

test('a request that has begun is answered, also when its header arrives in parts', async () => {
  const closing = await start(ok)
  const client = await open()
  client.socket.write(get.slice(0, 10))
  await untilRead()
  const stopped = closing.stop()
  await pause(200)
  client.socket.write(get.slice(10))
  await receive(client, 'Connection: close')
  expect(await client.ended).toBe('end')
  await stopped
})

test('a response whose header was sent before is completed', async () => {
  let finish = () => {}
  const closing = await start((_req, res) => {
    res.write('begun ')
    finish = () => res.end('and completed')
  })
  const client = await open()
  client.socket.write(get)
  await receive(client, 'begun')
  const stopped = closing.stop()
  await pause(100)
  finish()
  await receive(client, 'and completed')
  expect(await client.ended).toBe('end')
  await stopped
})

test('an upload that stops is answered when the time is up, and ended', async () => {
  const closing = await start(ok, { endWithinMs: 100 })
  const client = await open()
  client.socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf of it')
  await untilRead()
  await closing.stop()
  expect(await client.ended).toBe('end')
  expect(client.text()).toContain('503 Service Unavailable')
  expect(client.text()).toContain('late')
})
