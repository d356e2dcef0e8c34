import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Document } from '../../scripts/generate/document.ts'
import { writeOperations } from '../../scripts/generate/operations.ts'
import { createOperationsApp, mountOperations } from '../../server/http/mount.ts'
import { administration, createRouteTable } from '../../server/http/routes.ts'
import { openValidator } from '../../server/http/validator.ts'
import { send } from '../support/client.ts'

const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../generated/openapi.json'), 'utf8')) as Document
const deprecation = { deprecation: '@1767225600', sunset: 'Sun, 31 Jan 2027 00:00:00 GMT' }

test('every answer of a deprecated operation says until when it is there', async () => {
  const routes = administration.routes.map(route =>
    route.operationId === 'getAgentJob' ? { ...route, deprecation } : route,
  )
  const app = createOperationsApp()
  const handler = () => ({ status: 404, body: { error: 'No.' } })
  const handlers = Object.fromEntries(routes.map(({ operationId }) => [operationId, handler]))
  const validator = await openValidator(document, { routes })
  const admission = { authorize: () => undefined }
  const table = createRouteTable(routes)
  mountOperations(app, { table, handlers, etags: {}, deps: undefined, admission, validator, bodyLimitBytes: 1024 })
  const server: Server = app.listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise(done => server.once('listening', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const answer = await send(url, '/v2/agent/p/job/j')
  expect([answer.headers.deprecation, answer.headers.sunset]).toEqual(['@1767225600', 'Sun, 31 Jan 2027 00:00:00 GMT'])
  expect((await send(url, '/v1/static-export/jobs/se_1')).headers).not.toHaveProperty('sunset')
})

test('the dates come from the document, and a client has at least 12 months', () => {
  const deprecate = (dates: object) => {
    const scratch = structuredClone(document)
    Object.assign(scratch.paths['/v2/agent/{projectId}/job/{id}']?.get ?? {}, { deprecated: true, ...dates })
    return writeOperations(scratch)
  }
  const dates = { 'x-deprecated-since': '2026-01-01', 'x-sunset': '2027-01-31' }
  expect(deprecate(dates)).toContain(JSON.stringify({ deprecation }).slice(1, -1))
  expect(() => deprecate({})).toThrow('Set x-deprecated-since, and x-sunset at least 12 months later.')
  expect(() => deprecate({ ...dates, 'x-sunset': '2026-06-01' })).toThrow('12 months')
})
