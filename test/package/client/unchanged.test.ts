import type { IncomingHttpHeaders, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { generated } from '../../../mock/both-documents.ts'
import { createClient } from '../../../spec/package/client/index.ts'
import { createMock } from '../../../spec/package/mock/index.ts'
import { createMovingServer } from '../../../spec/package/mock-server/moving.ts'

// A 304 over a real connection, because fetch adds headers after the client has handed over the request.

const received: IncomingHttpHeaders[] = []
let server: Server
let quire: ReturnType<typeof createClient>
beforeAll(async () => {
  server = createMovingServer({ documents: generated, mock: createMock({ stepSeconds: 1 }), allowsOrigin: () => false })
  server.on('request', ({ headers }) => received.push(headers))
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  quire = createClient({ baseUrl, apiKey: 'any' })
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const path = { projectId: 'prj_5b1c2d3e4f506172' }

async function readTag(): Promise<string> {
  const { response } = await quire.getUniqueVisitors({ params: { path } })
  return response.headers.get('ETag') ?? ''
}

test('If-None-Match as a parameter gets a 304', async () => {
  const header = { 'If-None-Match': await readTag() }
  const answer = await quire.getUniqueVisitors({ params: { path, header } })
  expect({ status: answer.status, data: answer.data }).toEqual({ status: 304, data: undefined })
  const { 'cache-control': cacheControl, pragma } = received.at(-1) ?? {}
  expect({ cacheControl, pragma }).toEqual({ cacheControl: 'max-age=0', pragma: undefined })
})

test('If-None-Match among other headers gets a 304, also for a CSV', async () => {
  const csv = await quire.getUniqueVisitors({ params: { path }, headers: { Accept: 'text/csv' }, parseAs: 'text' })
  const headers = { Accept: 'text/csv', 'if-none-match': csv.response.headers.get('ETag') ?? '' }
  expect((await quire.getUniqueVisitors({ params: { path }, headers, parseAs: 'text' })).status).toBe(304)
})

test('with Cache-Control: no-cache, the counts are sent in any case', async () => {
  const headers = { 'If-None-Match': await readTag(), 'Cache-Control': 'no-cache' }
  expect((await quire.getUniqueVisitors({ params: { path }, headers })).status).toBe(200)
  expect(received.at(-1)?.['cache-control']).toBe('no-cache')
})

test('other requests are sent as fetch sends them', async () => {
  await readTag()
  expect(received.at(-1)).not.toHaveProperty('cache-control')
})
