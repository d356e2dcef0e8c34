import { afterAll, beforeAll, expect, test } from 'vitest'
import { startMovingMock } from '../package/conformance/mock-servers.ts'
import { type RunningMock, startMock } from './running-mock.ts'

const mocks: Record<string, { url: string }> = {}
const stops: (() => unknown)[] = []
beforeAll(async () => {
  const fixed: RunningMock = await startMock()
  const moving = await startMovingMock({ scenario: 'usual' })
  Object.assign(mocks, { fixed, moving })
  stops.push(
    () => fixed.end('SIGINT'),
    () => moving.close(),
  )
})
afterAll(() => Promise.all(stops.map(stop => stop())))

test.each(['fixed', 'moving'])(
  'the %s mock says what it is, and shows its document with its own address',
  async name => {
    const { url = '' } = mocks[name] ?? {}
    const start = await fetch(`${url}/`)
    const { what, document, operations } = (await start.json()) as Record<string, unknown>
    expect({ status: start.status, what, document }).toEqual({
      status: 200,
      what: expect.stringContaining('mock'),
      document: `${url}/openapi.json`,
    })
    expect(operations).toContain('GET /v2/agent/{projectId}/job/{id} (getAgentJob)')
    const json = (await (await fetch(String(document))).json()) as { servers: { url: string }[]; paths: object }
    expect([json.servers[0]?.url, Object.keys(json.paths)]).toEqual([
      url,
      expect.arrayContaining(['/v1/static-export/jobs']),
    ])
    expect(await (await fetch(`${url}/openapi.yaml`)).text()).toContain(`url: ${url}`)
    expect((await fetch(`${url}/`, { method: 'POST' })).status).toBe(404)
  },
)

test('the fixed mock has the second document, too', async () => {
  const { url = '' } = mocks.fixed ?? {}
  const { operations, extensions } = (await (await fetch(`${url}/`)).json()) as Record<string, unknown>
  expect(operations).toContain('POST /quire/v1/webhooks (createWebhook)')
  const { paths } = (await (await fetch(String(extensions))).json()) as { paths: object }
  expect(Object.keys(paths)).toContain('/quire/v1/webhooks')
})
