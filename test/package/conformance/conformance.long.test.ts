import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CheckName, checkNames, runConformance, type Settings } from '../../../spec/package/conformance/index.ts'
import { seed } from '../../support/random.ts'
import { someOf } from '../../support/rounds.ts'
import { checkWrongServer } from './check-wrong-server.ts'
import { document } from './conformance-document.ts'
import { type ConformanceServer, startConformanceServer, withSender } from './conformance-server.ts'
import { mockSettings, startMovingMock } from './mock-servers.ts'
import { listWrongServers } from './wrong-servers.ts'

/** The slow tests have one for each check. Here, some on each day meet all checks. */
const wrongServers = someOf(listWrongServers())

let server: ConformanceServer
beforeAll(async () => {
  const names = ['generated', 'expiry', ...wrongServers.map(({ fault }) => fault)]
  server = await startConformanceServer(names, { linkTtlSeconds: 8 })
})
afterAll(() => server.dispose())

/** Half of them are invalid. Fewer than before a release, because every run of all tests waits for them: 10000 take five minutes. */
const requestsPerOperation = Number(process.env.QUIRE_TEST_REQUESTS ?? 1000)

/** Sends the generated requests. Every answer must be as documented, and most of them must be beyond the budget. */
async function checkGenerated(settings: Settings): Promise<void> {
  const report = await withSender(settings, ({ send }) => runConformance({ document, settings, send }))
  console.log(JSON.stringify({ requests: report.requests, statuses: report.statuses }))
  expect(report.failures).toEqual([])
  const half = requestsPerOperation / 2
  for (const { operation, valid, invalid } of report.generated) {
    expect({ operation, valid, invalid }).toEqual({ operation, valid: half, invalid: half })
    const { 200: ok = 0, 202: started = 0, 400: refused = 0 } = report.statuses[operation] ?? {}
    expect(refused).toBeGreaterThan(0.8 * half)
    expect(ok + started).toBeGreaterThan(operation === 'startStaticExportJob' ? half / 100 : 0.5 * half)
  }
}

const generated = { seed, maxRequests: requestsPerOperation, maxStarts: 50 }

describe('generated requests get documented answers, and no invalid one is accepted', () => {
  test('by our server', async () => {
    const settings = server.settings('generated')
    const refill = setInterval(server.refillBudgets, 30)
    try {
      // The budget is refilled during the test.
      await checkGenerated({ ...settings, ...generated, excluded: ['rate_limit_enforcement', 'rate_limit_headers'] })
    } finally {
      clearInterval(refill)
    }
  })

  test('by the mock that moves', async () => {
    // With each request the time moves so far that the budget has one more.
    const moving = await startMovingMock({ stepSeconds: 36 })
    try {
      await checkGenerated({ ...mockSettings(moving.url), ...generated, excluded: checkNames.filter(needsTime) })
    } finally {
      await moving.close()
    }
  })
})

/** Checks that the mock does not claim, and those for which its time moves too fast. */
function needsTime(name: CheckName): boolean {
  return /^(ignored_auth|link_rules|use_after_free|rate_limit_.*|conditional_request)$/.test(name)
}

test('our server passes every check, and its links expire', async () => {
  const settings = { ...server.settings('expiry'), maxRequests: 100 }
  const report = await withSender(settings, ({ send }) => runConformance({ document, settings, send }))
  expect(report.failures).toEqual([])
  expect(report.checks.filter(({ passed, notDone }) => passed === 0 || notDone.length > 0)).toEqual([])
})

test('the mock that moves passes every check but that of the key, and its links expire', async () => {
  const moving = await startMovingMock({ scenario: 'short-links' })
  try {
    const settings = { ...mockSettings(moving.url), maxRequests: 100 }
    const report = await withSender(settings, ({ send }) => runConformance({ document, settings, send }))
    const failed = report.checks.filter(check => check.failed > 0).map(({ check }) => check)
    const open = report.checks.filter(check => check.passed === 0 || check.notDone.length > 0).map(({ check }) => check)
    expect({ failed, open }).toEqual({ failed: ['ignored_auth'], open: ['resource_isolation'] })
  } finally {
    await moving.close()
  }
})

describe('with all checks', () => {
  test.each(wrongServers)('a server that $fault fails $caught', async wrong => {
    const { fault, caught } = wrong
    const settings = { ...server.settings(fault), maxRequests: 40, maxWaitMs: 2000 }
    const report = await checkWrongServer(wrong, settings)
    const failed = report.checks.filter(check => check.failed > 0).map(({ check }) => check)
    expect(failed).toEqual(expect.arrayContaining([...caught]))
    expect(failed.length).toBeLessThan(checkNames.length / 2)
  })
})
