import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkNames } from '../../../spec/package/conformance/index.ts'
import { checkWrongServer } from './check-wrong-server.ts'
import { type ConformanceServer, startConformanceServer } from './conformance-server.ts'
import { listWrongServers } from './wrong-servers.ts'

const all = listWrongServers()
/** One for each check, with its requests only. The long tests run all checks against all of them. */
const wrongServers = all.filter(({ caught }, i) => all.findIndex(other => other.caught[0] === caught[0]) === i)

let server: ConformanceServer
beforeAll(async () => {
  server = await startConformanceServer(wrongServers.map(({ fault }) => fault))
})
afterAll(() => server.dispose())

test('there is a wrong server for every check', () => {
  expect([...new Set(wrongServers.flatMap(({ caught }) => caught))].sort()).toEqual([...checkNames].sort())
})

test.concurrent.each(wrongServers)('a server that $fault fails $caught', async wrong => {
  const { fault, caught, needs = [], maxRequests = 0 } = wrong
  // Only the checks that must find it, so that the test is fast.
  const excluded = checkNames.filter(name => ![...caught, ...needs].includes(name))
  const settings = { ...server.settings(fault), maxRequests, excluded }
  const report = await checkWrongServer(wrong, settings)
  const failed = report.checks.filter(check => check.failed > 0).map(({ check }) => check)
  expect(failed).toEqual(expect.arrayContaining([...caught]))
  expect([...caught, ...needs]).toEqual(expect.arrayContaining(failed))
  for (const failure of report.failures) {
    expect(failure.message).toMatch(/^[^\n]+\.$/)
    expect(failure.curl).toMatch(/^curl -i /)
  }
  for (const secret of [settings.key, settings.otherKey, settings.readKey, settings.writeKey]) {
    expect(JSON.stringify(report)).not.toContain(secret)
  }
})
