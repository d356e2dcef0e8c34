import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, test } from 'vitest'
import { dereferenceDocument, listDocumentedResponses } from '../../scripts/generate/dereference.ts'
import {
  type Body,
  type Document,
  listOperations,
  type Parameter,
  type Schema,
} from '../../scripts/generate/document.ts'

const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../generated/openapi.json'), 'utf8')) as Document
const plain = await dereferenceDocument(document)
const responses = await listDocumentedResponses(document)
const extensions = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../generated/extensions/openapi.json'), 'utf8'),
) as Document
const allResponses = [...responses, ...(await listDocumentedResponses(extensions))]

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true })
addFormats.default(ajv)
// They have no effect: why we decided something, the meaning of codes, and the words of a rule.
for (const keyword of ['x-decision', 'x-codes', 'x-rule']) ajv.addKeyword(keyword)

/** Lists schema errors of a value, one per line; empty if there are none. */
function findFaults(schema: Schema, value: unknown): string[] {
  const validate = ajv.compile(schema)
  validate(value)
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

describe('every documented response', () => {
  test.each(allResponses.filter(({ mediaType }) => mediaType !== undefined))(
    '$operationId $status $mediaType has examples that follow its schema',
    ({ schema, examples }) => {
      expect(Object.keys(examples)).not.toHaveLength(0)
      for (const [name, value] of Object.entries(examples))
        expect({ name, faults: findFaults(schema, value) }).toEqual({ name, faults: [] })
    },
  )

  test.each(allResponses)('$operationId $status has headers whose examples follow their schemas', ({ headers }) => {
    expect(Object.keys(headers)).toContain('X-Request-Id')
    for (const [name, { schema, example }] of Object.entries(headers)) {
      expect({ name, faults: findFaults(schema, example) }).toEqual({ name, faults: [] })
    }
  })
})

test('only 204 and 304 have no body', () => {
  const bodiless = allResponses.filter(({ mediaType }) => mediaType === undefined)
  expect(bodiless.map(({ operationId, status }) => `${operationId} ${status}`)).toEqual([
    'getUniqueVisitors 304',
    'sendPageView 204',
  ])
})

test('the CSV of the visitors has the fields of a page, and its example the pages of the JSON', () => {
  const [json, csv] = ['application/json', 'text/csv'].map(type =>
    responses.find(
      ({ operationId, status, mediaType }) =>
        operationId === 'getUniqueVisitors' && status === 200 && mediaType === type,
    ),
  )
  const { PageVisitors } = plain.components.schemas as Record<string, Schema>
  const names = Object.keys(PageVisitors?.properties ?? {})
  const all = json?.examples.all as { visitors: Record<string, unknown>[] } | undefined
  const lines = all?.visitors.map(page =>
    names.map(name => (/,/.test(String(page[name])) ? `"${page[name]}"` : page[name])).join(','),
  )
  expect(csv?.examples.allCsv).toBe([names.join(','), ...(lines ?? []), ''].join('\r\n'))
})

describe('every operation', () => {
  test.each(listOperations(plain))(
    '$operation.operationId has parameters whose examples follow their schemas',
    ({ operation }) => {
      for (const { name, schema, example } of (operation.parameters ?? []) as Parameter[]) {
        expect({ name, faults: findFaults(schema as Schema, example) }).toEqual({ name, faults: [] })
      }
    },
  )

  test('startStaticExportJob has request examples that follow its schema', () => {
    const { requestBody } =
      listOperations(plain).find(({ operation }) => operation.operationId === 'startStaticExportJob')?.operation ?? {}
    const { schema, examples } = (requestBody as Body).content?.['application/json'] ?? {}
    const values = Object.values(examples ?? {}) as { value: unknown }[]
    expect(values.length).toBeGreaterThan(1)
    for (const { value } of values) expect(findFaults(schema as Schema, value)).toEqual([])
  })
})

test.each(Object.entries(plain.components.schemas as Record<string, Schema>))(
  'the schema %s has examples that follow it, down to each property',
  (_, schema) => {
    let checked = 0
    visit(schema)
    expect(checked).toBeGreaterThan(0)

    function visit(node: Schema): void {
      for (const example of (node.examples ?? []) as unknown[]) {
        expect(findFaults(node, example)).toEqual([])
        checked++
      }
      for (const property of Object.values(node.properties ?? {})) visit(property as Schema)
      if (node.items) visit(node.items as Schema)
    }
  },
)

test('an example that breaks its schema is found', () => {
  const job = (plain.components.schemas as Record<string, Schema>).AgentJob as Schema
  const example = structuredClone(responses[0]?.examples.completed) as Record<string, unknown>
  expect(findFaults(job, { ...example, prLink: 'no link' })).toEqual(['/prLink must match format "uri"'])
  expect(findFaults(job, { ...example, surplus: 1 })).toEqual([' must NOT have additional properties'])
})
