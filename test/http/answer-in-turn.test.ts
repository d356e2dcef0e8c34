import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { answerInTurn } from '../../server/http/answer-in-turn.ts'
import { waitFor } from '../support/export-site.ts'
import { sendRaw } from '../support/raw-request.ts'

let server: Server
let seen: ServerResponse[]
afterEach(() => new Promise(done => server.close(done).closeAllConnections()))

async function start(listener: RequestListener): Promise<string> {
  seen = []
  server = createServer()
  server.on('request', (_req, res) => void seen.push(res))
  server.on('request', answerInTurn(listener))
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const request = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${more}\r\n`

test('answers the requests of a connection in their order, one at a time', async () => {
  let running = 0
  let most = 0
  const url = await start((req, res) => {
    most = Math.max(most, ++running)
    setTimeout(() => {
      running -= 1
      res.end(req.url)
    }, 5)
  })
  const paths = Array.from({ length: 10 }, (_, i) => `/${i}`)
  const { bytes } = await sendRaw(
    url,
    paths.map(path => request(path)).join('') + request('/last', 'Connection: close\r\n'),
  )
  expect(bytes.match(/\/\w+$|\/\d(?=HTTP)/gm)).toEqual([...paths, '/last'])
  expect(most).toBe(1)
})

test('closes a connection that sends 1,000 requests at once, before it works on all of them', async () => {
  let handled = 0
  const url = await start((_req, res) => {
    handled += 1
    res.end()
  })
  await sendRaw(url, request('/').repeat(1000))
  expect(handled).toBeLessThan(20)
})

test('tells the listeners of waiting requests that the connection has gone', async () => {
  const url = await start(() => undefined)
  let closed = 0
  const sent = sendRaw(url, request('/').repeat(5), 300)
  await waitFor(async () => seen.length === 5)
  for (const res of seen) res.once('close', () => closed++)
  await sent
  await waitFor(async () => closed === 5)
})
