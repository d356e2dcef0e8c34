import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { send } from '../support/client.ts'
import { useExtensionsServer } from '../support/extensions-server.ts'

/** What the services of `server/docs/pages/receive-visits.md` send, with the settings of that page. */
const used = useExtensionsServer()
const browser = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0'
const line = (second = '00') =>
  `203.0.113.9 - - [20/Nov/2026:10:00:${second} +0000] "GET / HTTP/1.1" 200 5120 "-" "${browser}"`
const cloudflare = {
  ClientIP: '203.0.113.9',
  ClientRequestHost: 'docs.example.com',
  ClientRequestMethod: 'GET',
  ClientRequestURI: '/',
  ClientRequestUserAgent: browser,
  ClientRequestReferer: '',
  ClientRequestSource: 'eyeball',
  EdgeResponseStatus: 200,
  EdgeStartTimestamp: '2026-11-20T10:00:00Z',
}
const fastly = {
  timestamp: '2026-11-20T10:00:00+0000',
  client_ip: '203.0.113.9',
  host: 'docs.example.com',
  url: '/',
  request_method: 'GET',
  request_user_agent: browser,
  request_referer: '',
  response_status: 200,
  fastly_is_edge: true,
}
const record = { timeUnixNano: '1795168800000000000', body: { stringValue: line() } }
const json = JSON.stringify

test.each([
  ['Cloudflare', gzipSync(`${json(cloudflare)}\n`), { counted: 1 }],
  ['Fastly', `${json(fastly)}\n`, { counted: 1 }],
  ['Fluent Bit', `${json({ date: 1795168800.123, log: line() })}\n`, { counted: 1 }],
  ['Vector as text', `${line()}\n`, { counted: 1 }],
  [
    'Vector as JSON',
    json([{ message: line(), source_type: 'file', timestamp: '2026-11-20T10:00:01Z' }]),
    { counted: 1 },
  ],
  ['the OpenTelemetry Collector', json({ resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] }), { counted: 1 }],
  // Cloudflare takes every 2xx as an agreement to its test, which has no request.
  ['the test of Cloudflare', gzipSync(json({ content: 'tests' })), { counted: 0, unreadable: [{ count: 1 }] }],
  ['a log without user agents', line().replace(/ "-" .*/, '\n'), { counted: 0, unreadable: [{ count: 1 }] }],
])('%s gets 200 and its counts', async (_, body, counts) => {
  const path = `/quire/v1/projects/${await used.addProject()}/visits`
  const headers = { Authorization: `Bearer ${used.keys.all}` }
  const { status, json: answer } = await send(used.server.url, path, { method: 'POST', headers, body })
  expect({ status, answer }).toMatchObject({ status: 200, answer: { lines: 1, ...counts } })
})

test('the same visitor on the same page and day is known', async () => {
  const path = `/quire/v1/projects/${await used.addProject()}/visits`
  const headers = { Authorization: `Bearer ${used.keys.all}` }
  const body = `${line()}\n${line('30')}\n`
  const { json: answer } = await send(used.server.url, path, { method: 'POST', headers, body })
  expect(answer).toMatchObject({ lines: 2, counted: 1, known: 1 })
})
