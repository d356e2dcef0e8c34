import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { send } from '../support/client.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.dispose())

const chromium = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'

test('/ redirects a browser to the dashboard by a relative path', async () => {
  for (const Accept of [chromium, 'text/html']) {
    const { status, headers } = await send(server.url, '/', { headers: { Accept } })
    expect({ status, location: headers.location, vary: headers.vary }).toEqual({
      status: 302,
      location: 'dashboard/',
      vary: 'Accept',
    })
  }
  const page = await fetch(`${server.url}/`, { headers: { Accept: chromium } })
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
})

test('without a dashboard, / redirects a browser to the documentation, and there is no page to sign in', async () => {
  const bare = await startTestServer({ dashboard: false })
  try {
    const answer = await fetch(`${bare.url}/`, { headers: { Accept: chromium }, redirect: 'manual' })
    expect([answer.status, answer.headers.get('location')]).toEqual([302, 'docs/'])
    expect((await fetch(`${bare.url}/dashboard/sign-in`)).status).toBe(404)
  } finally {
    await bare.dispose()
  }
})

test.each([{}, { Accept: '*/*' }, { Accept: 'application/json' }, { Accept: 'application/json, text/html' }])(
  '/ answers %j in JSON, without a redirect',
  async headers => {
    const answer = await send(server.url, '/', { headers })
    expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'application/json; charset=utf-8' } })
    expect(answer.headers.location).toBeUndefined()
    for (const name of ['documentation', 'openapi', 'health']) {
      expect((await fetch(String(answer.json[name]))).status).toBe(200)
    }
  },
)

test('other methods at / are refused', async () => {
  expect((await send(server.url, '/', { method: 'POST' })).status).toBe(404)
})

test.each([
  ['/openapi.json', 'application/json; charset=utf-8', (text: string): unknown => JSON.parse(text)],
  ['/openapi.yaml', 'application/yaml; charset=utf-8', (text: string): unknown => parse(text)],
] as const)('%s is the document, with the address of this server', async (path, type, read) => {
  const answer = await send(server.url, path)
  expect({ status: answer.status, type: answer.headers['content-type'] }).toEqual({ status: 200, type })
  const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../generated/openapi.json'), 'utf8'))
  expect(document.servers).toHaveLength(1)
  const servers = [{ ...document.servers[0], url: server.url }]
  expect(read(answer.text)).toEqual({ ...document, servers })
})

test('the public URL is the server of the document', async () => {
  const other = await startTestServer({ publicUrl: 'https://api.example.com/quire/' })
  try {
    expect((await send(other.url, '/openapi.json')).json.servers).toMatchObject([
      { url: 'https://api.example.com/quire' },
    ])
    expect((await send(other.url, '/openapi.yaml')).text).toContain('\n  - url: https://api.example.com/quire\n')
  } finally {
    await other.dispose()
  }
})
