import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkNames, type Request, runConformance } from '../../../spec/package/conformance/index.ts'
import { seed } from '../../support/random.ts'
import { document } from './conformance-document.ts'
import { type ConformanceServer, startConformanceServer, withSender } from './conformance-server.ts'
import { listWrongServers } from './wrong-servers.ts'

const wrongServers = listWrongServers()

let server: ConformanceServer
beforeAll(async () => {
  const names = ['generated', 'expiry', ...wrongServers.map(({ fault }) => fault)]
  server = await startConformanceServer(names, { linkTtlSeconds: 8 })
})
afterAll(() => server.dispose())

/** Half of them are invalid. */
const requestsPerOperation = 10_000

test('10,000 generated requests per operation get documented answers, and no invalid one is accepted', async () => {
  const settings = {
    ...server.settings('generated'),
    seed,
    maxRequests: requestsPerOperation,
    maxStarts: 50,
    // The budget is refilled during the test.
    excluded: ['rate_limit_enforcement' as const, 'rate_limit_headers' as const],
  }
  const { organizationId } = (await server.store.projects.find(settings.project)) as { organizationId: string }
  const refill = setInterval(() => {
    void server.store.rateLimits.replace(organizationId, 'analytics', () => ({ arrivalAt: 0, storedAt: Date.now() }))
  }, 30)
  try {
    const report = await withSender(settings, ({ send }) => runConformance({ document, settings, send }))
    expect(report.failures).toEqual([])
    const half = requestsPerOperation / 2
    for (const { operation, valid, invalid } of report.generated) {
      expect({ operation, valid, invalid }).toEqual({ operation, valid: half, invalid: half })
      const { 200: ok = 0, 202: started = 0, 400: refused = 0 } = report.statuses[operation] ?? {}
      // Most of them got beyond the budget.
      expect(refused).toBeGreaterThan(0.8 * half)
      expect(ok + started).toBeGreaterThan(operation === 'startStaticExportJob' ? 50 : 0.5 * half)
    }
    console.log(JSON.stringify({ requests: report.requests, statuses: report.statuses }))
  } finally {
    clearInterval(refill)
  }
})

test('our server passes every check, and its links expire', async () => {
  const settings = { ...server.settings('expiry'), maxRequests: 100 }
  const report = await withSender(settings, ({ send }) => runConformance({ document, settings, send }))
  expect(report.failures).toEqual([])
  expect(report.checks.filter(({ passed, notDone }) => passed === 0 || notDone.length > 0)).toEqual([])
})

describe('with all checks', () => {
  test.each(wrongServers)('a server that $fault fails $caught', async ({ fault, caught, answer }) => {
    const settings = { ...server.settings(fault), maxRequests: 40, maxWaitMs: 2000 }
    const report = await withSender(settings, ({ send }) =>
      runConformance({
        document,
        settings,
        send: (request, options) =>
          answer(
            request,
            (change: Partial<Request> = {}, others = options) => send({ ...request, ...change }, others),
            options,
          ),
      }),
    )
    const failed = report.checks.filter(check => check.failed > 0).map(({ check }) => check)
    expect(failed).toEqual(expect.arrayContaining([...caught]))
    expect(failed.length).toBeLessThan(checkNames.length / 2)
  })
})
