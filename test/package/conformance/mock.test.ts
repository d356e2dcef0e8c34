import { afterAll, beforeAll, expect, test } from 'vitest'
import { runConformance } from '../../../spec/package/conformance/index.ts'
import { type RunningMock, startMock } from '../../mock/running-mock.ts'
import { document } from './conformance-document.ts'
import { withSender } from './conformance-server.ts'

let mock: RunningMock
beforeAll(async () => {
  mock = await startMock()
})
afterAll(() => mock.end('SIGINT'))

/** What the mock does not claim: it answers with examples and keeps no state. Every other check passes. */
const limits = {
  response_completeness: 'nothing serves its links',
  response_headers_conformance: 'some of its 400 answers lack RateLimit',
  negative_data_rejection: 'it takes any charset of JSON',
  ignored_auth: 'it accepts any key',
  unknown_resource: 'it knows every id',
  request_id: 'it makes its own request ids',
  pagination: 'it ignores limit and offset',
  date_range: 'it ignores dates',
  csv_equals_json: 'its CSV is the shorter example of the schema',
  conditional_request: 'it has one ETag',
  rate_limit_headers: 'its budget stays the same',
  rate_limit_enforcement: 'its budget stays the same',
  idempotency: 'it does not know earlier starts',
  link_rules: 'its links have expired',
}

test('the mock passes the checks that need no state', async () => {
  const settings = {
    url: mock.url,
    key: 'any-key-of-the-mock',
    otherKey: undefined,
    readKey: undefined,
    writeKey: undefined,
    project: 'prj_5b1c2d3e4f506172',
    agentJob: 'aj_9c41d2e0b7a65f38',
    domain: 'docs.example.com',
    exportJob: 'se_0f3c9a1b2d4e5f60',
    seed: 20_251,
    maxRequests: 20,
    maxStarts: 2,
    timeoutMs: 10_000,
    maxWaitMs: 1000,
    excluded: [],
  }
  const report = await withSender(settings, ({ send }) => runConformance({ document, settings, send }))
  const failed = report.checks.filter(check => check.failed > 0).map(({ check }) => check)
  expect(failed).toEqual(Object.keys(limits))
})
