import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Request, Response } from 'express'
import { expect, test } from 'vitest'
import { type Route, routes } from '../../generated/operations.ts'
import { requests } from '../../generated/requests.ts'
import { HttpError } from '../../server/http/http-error.ts'
import { createInputCheck, type InputParts } from '../../server/http/input-check.ts'
import { openValidator } from '../../server/http/validator.ts'
import { createRandom } from '../support/random.ts'

const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../generated/openapi.json'), 'utf8'))
const validator = await openValidator(document)

/** What the validator of the server makes of a request. */
async function validate(route: Route, parts: InputParts): Promise<unknown> {
  const path = route.path.replaceAll(/\{\w+\}/g, 'x')
  const req = {
    ...structuredClone(parts),
    headers: { ...parts.headers, ...(route.hasBody && { 'content-type': 'application/json' }) },
    method: route.method.toUpperCase(),
    originalUrl: path,
  }
  const error = await new Promise<unknown>(done => {
    const [check] = validator.validate(route)
    void check?.(req as unknown as Request, {} as Response, done)
  })
  return describe(error, { query: req.query, body: req.body })
}

/** What the check of the Fetch side makes of it. */
function check(run: (parts: InputParts) => void, parts: InputParts): unknown {
  const own = structuredClone(parts)
  try {
    run(own)
  } catch (error) {
    return describe(error, {})
  }
  return describe(undefined, { query: own.query, body: own.body })
}

function describe(error: unknown, filled: object): unknown {
  if (error === undefined) return filled
  if (!(error instanceof HttpError)) throw error
  return { status: error.status, message: error.message, details: error.details }
}

const random = createRandom('input check')
const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T

const words = [
  '',
  'a',
  'docs.example.com',
  'DOCS.example.com',
  '-x',
  'a b',
  '/a',
  'a//b',
  '%2e',
  'x'.repeat(300),
  '😀',
  'zip',
]
const values: readonly (() => unknown)[] = [
  () => pick(words),
  () => pick([0, 1, -1, 1.5, 1e21]),
  () => pick([true, false, null]),
  () => Array.from({ length: Math.floor(random() * 4) }, () => pick(['/a', '/b', 'index', 7, '', null])),
  () => ({}),
  () => ({ [pick(['search', 'playground', 'serach'])]: pick([true, false, 'yes', null]) }),
]
const numbers = [
  '',
  '5',
  '250',
  '251',
  '0',
  '-1',
  '-0',
  '007',
  '1e2',
  '0x10',
  '9'.repeat(30),
  '9'.repeat(400),
  ' 5',
  'a',
]
const dates = [
  '',
  '2026-11-20',
  '2026-11-20T10:11:12.123456+00:00',
  '2026-11-20T10:11:12 00:00',
  'yesterday',
  '2026-02-30',
]

function createBody(): unknown {
  if (random() < 0.1) return pick<unknown>([[], 'a', 5, null, true, {}])
  const names = [
    'domain',
    'version',
    'paths',
    'deployment',
    'features',
    'offlineSearch',
    'verify',
    'format',
    'domian',
    'a/b',
  ]
  const body: Record<string, unknown> = random() < 0.8 ? { domain: 'docs.example.com' } : {}
  for (const name of names) if (random() < 0.2) body[name] = pick(values)()
  if (random() < 0.3)
    body.paths = Array.from({ length: 5 }, (_, i) => `/page-${Math.floor(random() * 8)}${i > 3 ? '' : 'x'}`)
  return body
}

function createQuery(): Record<string, unknown> {
  const query: Record<string, unknown> = {}
  if (random() < 0.5) query.limit = pick<unknown>([...numbers, ['1', '2']])
  if (random() < 0.4) query.offset = pick(numbers)
  if (random() < 0.4) query.dateFrom = pick<unknown>([...dates, ['2026-11-20', '2026-11-21']])
  if (random() < 0.3) query.dateTo = pick(dates)
  if (random() < 0.2) query[pick(['page', 'limt', 'x y', 'é', 'limit[]'])] = pick(['1', ''])
  return query
}

test.each(routes.map(route => [route.operationId, route] as const))(
  '%s: 2,000 requests get the answers of the validator',
  async (_, route) => {
    const outcomes = { valid: 0, invalid: 0 }
    const checkWhole = createInputCheck(document, route)
    const checkPart = createInputCheck(requests, route)
    for (let i = 0; i < 2000; i++) {
      const parts: InputParts = {
        params: { projectId: 'p', id: 'a', jobId: 'j' },
        query: route.method === 'get' || random() < 0.05 ? createQuery() : {},
        headers: {
          ...(random() < 0.2 && { accept: pick(['text/csv', 'application/json', '*/*']) }),
          ...(random() < 0.3 && { 'idempotency-key': pick(['release-1', 'a b', '', 'x'.repeat(256), 'é']) }),
        },
        body: route.hasBody ? createBody() : undefined,
      }
      const wanted = await validate(route, parts)
      const got = check(checkWhole, parts)
      if (!isDeepStrictEqual(got, wanted)) expect({ parts, got }).toEqual({ parts, got: wanted })
      // The part of the document that the mock has is enough.
      const fromPart = check(checkPart, parts)
      if (!isDeepStrictEqual(fromPart, wanted)) expect({ parts, got: fromPart }).toEqual({ parts, got: wanted })
      outcomes[(wanted as { status?: number }).status === 400 ? 'invalid' : 'valid']++
    }
    expect(outcomes.valid).toBeGreaterThan(20)
    expect(outcomes.invalid).toBeGreaterThan(20)
  },
)

test('a keyword that it does not know is refused at the start', () => {
  const changed = structuredClone(document)
  changed.components.schemas.StartExport.properties.version.not = { const: 'x' }
  const start = routes.find(({ hasBody }) => hasBody) as Route
  expect(() => createInputCheck(changed, start)).toThrow(/does not know not\b/)
})
