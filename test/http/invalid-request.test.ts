import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { routes } from '../../generated/operations.ts'
import { pagePathRule } from '../../server/export/jobs/page-paths.ts'
import { describeRule } from '../../server/http/field-rule.ts'
import { listFields } from '../../server/http/invalid-request.ts'

const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../generated/openapi.json'), 'utf8'))
const fields = new Map(routes.flatMap(route => [...listFields(document, route)]))

test('every field that a request can get wrong has a rule', () => {
  const without = [...fields].filter(([path, { rule }]) => rule === undefined && path !== '/body')
  expect(without.map(([path]) => path)).toEqual([])
  expect([...fields.keys()]).toContain('/body/paths/*')
})

test('every field with a pattern has words for it', () => {
  const { StartExport, DateOrDateTime } = document.components.schemas
  const properties = Object.entries(StartExport.properties) as [
    string,
    { pattern?: string; items?: { pattern?: string } },
  ][]
  const patterned = [
    ...properties.filter(([, { pattern }]) => pattern).map(([name]) => `/body/${name}`),
    ...properties.filter(([, { items }]) => items?.pattern).map(([name]) => `/body/${name}/*`),
    ...(DateOrDateTime.pattern ? ['/query/dateFrom', '/query/dateTo'] : []),
    '/headers/idempotency-key',
  ]
  expect(patterned).toContain('/body/paths/*')
  for (const path of patterned)
    expect([path, fields.get(path)?.rule]).not.toEqual([path, expect.stringMatching(/^text( \(|$)/)])
})

test('the command line and the API describe a path in the same words', () => {
  expect(fields.get('/body/paths/*')?.rule).toBe(`${pagePathRule} (1 to 2048 characters)`)
})

test.each([
  [{ type: 'integer', minimum: 1, maximum: 250 }, 'a whole number from 1 to 250'],
  [{ type: 'integer', minimum: 1 }, 'a whole number of at least 1'],
  [{ type: 'string', minLength: 1 }, 'text (at least 1 character)'],
  [{ type: 'array', maxItems: 3 }, 'a list of up to 3 different values'],
  [{ type: 'string', enum: ['a', 'b', 'c'] }, 'a, b or c'],
  [{ type: 'boolean' }, 'true or false'],
  [{}, undefined],
])('%j must be %j', (schema, rule) => {
  expect(describeRule('/body/x', schema)).toBe(rule)
})
