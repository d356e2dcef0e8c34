import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import express, { type Request, type Response } from 'express'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { routes } from '../../generated/operations.ts'
import { readBody, sendJson } from '../../server/http/mount.ts'
import { send } from '../support/client.ts'

let server: Server
let url: string
beforeAll(async () => {
  const app = express()
  app.response.json = sendJson
  app.get('/', (_req, res) => {
    res.status(202).json({ name: 'Größe 📚' })
  })
  server = createServer(app)
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.close()
})

test('non-ASCII text is sent with its length in bytes', async () => {
  const { status, headers, text } = await send(url, '/')
  expect({ status, text }).toEqual({ status: 202, text: '{"name":"Größe 📚"}' })
  expect(headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8', 'content-length': '23' })
})

test('HEAD gets the headers of GET and no body', async () => {
  const { status, headers, text } = await send(url, '/', { method: 'HEAD' })
  expect({ status, text }).toEqual({ status: 202, text: '' })
  expect(headers['content-length']).toBe('23')
})

test('If-None-Match never causes 304', async () => {
  expect((await send(url, '/', { headers: { 'If-None-Match': '*' } })).status).toBe(202)
})

// openapi-backend compiles and keeps one validator for each raw Content-Type, so only one value may reach it.

function settle(hasBody: boolean, contentType: string): Promise<IncomingHttpHeaders> {
  const route = routes.find(route => route.hasBody === hasBody)
  if (!route) throw new Error('no such route')
  const req = Object.assign(Readable.from(['{}']), {
    method: route.method.toUpperCase(),
    headers: { 'content-type': contentType, 'content-length': '2' } as IncomingHttpHeaders,
  })
  return new Promise((done, failed) => {
    readBody(route, 1000)(req as unknown as Request, {} as Response, error =>
      error ? failed(error) : done(req.headers),
    )
  })
}

test.each([
  'application/json',
  'Application/JSON',
  'application/json; charset=UTF-8',
  'application/json;charset="utf-8"',
  'application/json; a=1',
])('the validator sees one Content-Type for %j', async type => {
  expect((await settle(true, type))['content-type']).toBe('application/json')
})

test.each(['application/json', 'text/plain', 'application/x-1', 'application/x-2; a=3'])(
  'the validator sees no Content-Type for %j if the operation has no body',
  async type => {
    expect((await settle(false, type))['content-type']).toBeUndefined()
  },
)
