import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { endedStatements } from '../../server/base/measures.ts'
import { createPipeline } from '../../server/http/pipeline.ts'
import { send } from '../support/client.ts'
import { waitFor } from '../support/export-site.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ slowMs: 3_600_000 })
})
afterAll(() => server.dispose())

const findLine = (path: string) =>
  waitFor(async () => server.logged.find(line => line.msg === 'request' && line.path === path))

test.each([
  ['a trace', '/trace', `00-${traceId}-00f067aa0ba902b7-01`, traceId],
  ['a trace of a later version', '/later', `01-${traceId}-00f067aa0ba902b7-01-more`, traceId],
  ['a trace without an id', '/zeros', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, undefined],
  ['a trace without a parent', '/parent', `00-${traceId}-${'0'.repeat(16)}-01`, undefined],
  ['more than version 00 has', '/more', `00-${traceId}-00f067aa0ba902b7-01-more`, undefined],
  ['the version that is forbidden', '/ff', `ff-${traceId}-00f067aa0ba902b7-01`, undefined],
  ['nonsense', '/nonsense', 'x'.repeat(1000), undefined],
])('the line of a request with %s has the id of the trace, if it is valid', async (_, path, traceparent, expected) => {
  await send(server.url, path, { headers: { traceparent } })
  expect((await findLine(path)).traceId).toBe(expected)
})

test('a statement is logged as slow from the limit on, in one line', () => {
  endedStatements.tell({ text: 'SELECT 1', ms: 3_599_999 })
  endedStatements.tell({ text: 'SELECT id\n  FROM jobs\n  WHERE id = $1', ms: 3_600_000 })
  const lines = server.logged.filter(({ msg }) => msg === 'slow statement')
  expect(lines).toMatchObject([{ level: 40, statement: 'SELECT id FROM jobs WHERE id = $1', durationMs: 3_600_000 }])
})

test('a request is logged as slow from the limit on, unless the client decides how long it takes', async () => {
  const logged: Record<string, unknown>[] = []
  const app = createPipeline(pino({}, { write: (line: string) => logged.push(JSON.parse(line)) }), 30)
  app.get('/fast', (_req, res) => void res.end())
  app.get(['/slow', '/bundles/link'], (_req, res) => pause(60).then(() => void res.end()))
  app.get('/held', (_req, res) => pause(60).then(() => void res.set('Preference-Applied', 'wait=1').end()))
  const listening = app.listen(0, '127.0.0.1')
  await new Promise(done => listening.once('listening', done))
  const { port } = listening.address() as AddressInfo
  for (const path of ['/slow', '/bundles/link', '/held', '/fast']) await send(`http://127.0.0.1:${port}`, path)
  await waitFor(async () => logged[3])
  await new Promise(done => listening.close(done))
  const slow = logged.filter(({ msg }) => msg === 'slow request')
  expect(slow).toMatchObject([{ level: 40, path: '/slow', status: 200 }])
  expect(logged.filter(({ msg }) => msg === 'request')).toHaveLength(3)
})
