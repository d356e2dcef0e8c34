import { afterAll, beforeAll, expect, test } from 'vitest'
import { runConformance } from '../../../spec/package/conformance/index.ts'
import { type RunningMock, startMock } from '../../mock/running-mock.ts'
import { document } from './conformance-document.ts'
import { withSender } from './conformance-server.ts'
import { mockSettings, startMovingMock } from './mock-servers.ts'

let mock: RunningMock
beforeAll(async () => {
  mock = await startMock()
})
afterAll(() => mock.end('SIGINT'))

/** What the mock does not claim: it answers with examples and keeps no state. Every other check passes. */
const limits = {
  response_headers_conformance: 'some of its 400 answers lack RateLimit',
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
}

test('the mock passes the checks that need no state', async () => {
  // Its links lead to the usual address of the server, where any server may be.
  const excluded = ['link_rules' as const, 'use_after_free' as const]
  const settings = { ...mockSettings(mock.url), excluded }
  const report = await withSender(settings, ({ send }) => runConformance({ document, settings, send }))
  const failed = report.checks.filter(check => check.failed > 0).map(({ check }) => check)
  expect(failed).toEqual(Object.keys(limits))
})

test('a test suite needs the address and the key only', async () => {
  const moving = await startMovingMock({ scenario: 'no-visitors' })
  try {
    const report = await runConformance({
      document,
      settings: {
        url: moving.url,
        key: 'any-key-of-the-mock',
        maxRequests: 0,
        maxWaitMs: 0,
        excluded: ['ignored_auth'],
      },
    })
    expect({ failures: report.failures, seed: report.seed }).toEqual({ failures: [], seed: 1 })
    expect(report.checks.find(({ check }) => check === 'unknown_resource')?.passed).toBeGreaterThan(10)
  } finally {
    await moving.close()
  }
})

test('a check that needs an answer that failed another check says so, and a Location may be anything', async () => {
  const moving = await startMovingMock({ scenario: 'usual', stepSeconds: 60 })
  try {
    const settings = { ...mockSettings(moving.url), maxRequests: 0 }
    const report = await withSender(settings, ({ send }) =>
      runConformance({
        document,
        settings,
        send: async (request, options) => {
          const answer = await send(request, options)
          const { etag: _, ...headers } = answer.headers
          return { ...answer, headers: { ...headers, ...(headers.location && { location: 'http://[' }) } }
        },
      }),
    )
    expect(report.checks.find(({ check }) => check === 'conditional_request')).toMatchObject({
      passed: 0,
      notDone: ['An answer that it needs failed another check.'],
    })
    expect(report.failures.map(({ message }) => message)).toContain(
      'Location is http://[, which is not the path of the job.',
    )
  } finally {
    await moving.close()
  }
})

test('the mock that moves passes every check but that of the key', async () => {
  const moving = await startMovingMock({ scenario: 'short-links' })
  try {
    // A long test waits until a link expires.
    const settings = { ...mockSettings(moving.url), maxWaitMs: 1000 }
    const report = await withSender(settings, ({ send }) => runConformance({ document, settings, send }))
    const failed = report.checks.filter(check => check.failed > 0).map(({ check }) => check)
    const open = report.checks.filter(check => check.passed === 0 || check.notDone.length > 0).map(({ check }) => check)
    expect({ failed, open }).toEqual({ failed: ['ignored_auth'], open: ['use_after_free', 'resource_isolation'] })
  } finally {
    await moving.close()
  }
})
