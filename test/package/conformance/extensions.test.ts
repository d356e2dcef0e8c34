import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CheckName, checkNames, type Report } from '../../../spec/package/conformance/index.ts'
import { checkWrongServer } from './check-wrong-server.ts'
import { extensions } from './conformance-document.ts'
import { type ConformanceServer, startConformanceServer } from './conformance-server.ts'
import { type WrongServer, when, withBody, withHeader } from './wrong-server.ts'

const isBelow = (part: string) => (request: { target: string }) => request.target.includes(part)
const isCursor = isBelow('cursor=')

/** Servers that are right but for one thing in the second document. */
const wrongServers: (Pick<WrongServer, 'fault' | 'answer'> & { caught: CheckName; maxRequests?: number })[] = [
  {
    fault: 'leaves out the nextCursor of a list',
    caught: 'response_schema_conformance',
    answer: when(
      (request, { status }) => status === 200 && isBelow('/quire/v1/exports')(request),
      answer => withBody(answer, ({ nextCursor: _, ...others }) => others),
    ),
  },
  {
    fault: 'answers 200 for a new webhook',
    caught: 'status_code_conformance',
    answer: when(
      (_, { status }) => status === 201,
      answer => ({ ...answer, status: Buffer.from(answer.body).includes('secret') ? 200 : 201 }),
    ),
  },
  {
    fault: 'refuses log lines',
    caught: 'positive_data_acceptance',
    answer: (request, next) =>
      next(isBelow('/visits')(request) ? { headers: { ...request.headers, 'Content-Encoding': 'br' } } : {}),
  },
  {
    fault: 'asks for no key to list webhooks',
    caught: 'ignored_auth',
    answer: (request, next) => next(isBelow('/quire/v1/webhooks')(request) ? { headers: keyed(request.headers) } : {}),
  },
  {
    fault: 'ignores unknown query parameters',
    caught: 'negative_data_rejection',
    maxRequests: 20,
    answer: ({ target }, next) =>
      next({
        target: target.startsWith('/quire/') && !target.includes('?page=') ? (target.split('?')[0] ?? '') : target,
      }),
  },
  {
    fault: 'answers every cursor with the first page',
    caught: 'pagination',
    answer: (request, next) => next(isCursor(request) ? { target: request.target.replace(/&cursor=.*/, '') } : {}),
  },
  {
    fault: 'names no method for 405',
    caught: 'unsupported_method',
    answer: when(
      (request, { status }) => status === 405 && isBelow('/quire/')(request),
      answer => withHeader(answer, 'allow', undefined),
    ),
  },
]

let key = ''
const keyed = (headers: object) => ({ ...headers, Authorization: `Bearer ${key}` })

let server: ConformanceServer
beforeAll(async () => {
  server = await startConformanceServer(['right', ...wrongServers.map(({ fault }) => fault)])
})
afterAll(() => server.dispose())

const listOperations = (report: Report) => Object.keys(report.statuses)

test('our server passes with the second document, and each operation is reached', async () => {
  const settings = { ...server.settings('right'), maxRequests: 20 }
  const report = await checkWrongServer({ answer: (_, next) => next() }, settings, extensions)
  expect(report.failures).toEqual([])
  expect(listOperations(report)).toHaveLength(5 + 22)
  const unreached = report.unreached.map(({ operation, status }) => `${operation} ${status}`)
  expect(unreached.filter(response => / 20\d$/.test(response))).toEqual([])
  for (const secret of [settings.key, settings.otherKey]) expect(JSON.stringify(report)).not.toContain(secret)
})

test('without the second document, none of its operations is asked', async () => {
  const excluded = checkNames.filter(name => name !== 'request_id')
  const report = await checkWrongServer({ answer: (_, next) => next() }, { ...server.settings('right'), excluded })
  expect(listOperations(report).every(id => !/webhook|visits$/i.test(id))).toBe(true)
})

test.each(wrongServers)('a server that $fault fails $caught', async ({ fault, caught, answer, maxRequests = 0 }) => {
  const settings = { ...server.settings(fault), maxRequests }
  key = settings.key
  // The calls with the examples create what the others read.
  const excluded = checkNames.filter(name => ![caught, 'positive_data_acceptance'].includes(name))
  const report = await checkWrongServer({ answer }, { ...settings, excluded }, extensions)
  const failed = report.checks.filter(check => check.failed > 0).map(({ check }) => check)
  expect(failed).toEqual([caught])
})
