import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendJson } from '../../server/http/json.ts'
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
