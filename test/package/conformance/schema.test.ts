import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, test } from 'vitest'
import { type Operation, readOperations } from '../../../spec/package/conformance/operations.ts'
import { createRandom } from '../../../spec/package/conformance/random.ts'
import { makeInvalid } from '../../../spec/package/conformance/schema/break-value.ts'
import { findFaults } from '../../../spec/package/conformance/schema/check-value.ts'
import { makeString } from '../../../spec/package/conformance/schema/make-string.ts'
import { makeValue } from '../../../spec/package/conformance/schema/make-value.ts'
import { refuseUnknownKeywords, type Schema } from '../../../spec/package/conformance/schema/schema.ts'
import { seed } from '../../support/random.ts'
import { document } from './conformance-document.ts'

const ajv = new Ajv2020({ strict: false })
addFormats.default(ajv)
const operations: Operation[] = Object.values(readOperations(document))

type Placed = [place: string, schema: Schema]

/** Every schema of the document that a value can have, by its place. */
const schemas = operations.flatMap(({ id, parameters, body, responses }): Placed[] => [
  ...parameters.map(({ name, schema }): Placed => [`${id} ${name}`, schema]),
  ...(body ? [[`${id} body`, body.schema] as Placed] : []),
  ...[...responses].flatMap(([status, { content, headers }]): Placed[] => [
    ...[...content].map(([type, schema]): Placed => [`${id} ${status} ${type}`, schema]),
    ...headers.map(({ name, schema }): Placed => [`${id} ${status} ${name}`, schema]),
  ]),
])
const requestSchemas = schemas.filter(([place]) => !/ \d{3} /.test(place))

describe('values of the document', () => {
  test.each(requestSchemas)('that are made for %s are valid', (place, schema) => {
    const validate = ajv.compile(schema)
    const random = createRandom(seed, place)
    const made = Array.from({ length: 300 }, () => makeValue(random, schema))
    expect(made.filter(value => !validate(value))).toEqual([])
    expect(new Set(made.map(value => JSON.stringify(value))).size).toBeGreaterThan(1)
  })

  test.each(requestSchemas.filter(([, schema]) => schema.pattern !== undefined || schema.type !== 'string'))(
    'that are made to break %s are invalid',
    (place, schema) => {
      const validate = ajv.compile(schema)
      const random = createRandom(seed, place)
      const made = Array.from({ length: 300 }, () => makeInvalid(random, schema))
      expect(made.filter(value => validate(value))).toEqual([])
    },
  )

  test.each(schemas)('of %s are judged as by another validator', (place, schema) => {
    const validate = ajv.compile(schema)
    const random = createRandom(seed, place)
    const odd = [
      null,
      true,
      0,
      -1,
      1.5,
      '',
      'a',
      '2026-11-20T10:00:00Z',
      '2026-02-30T10:00:00Z',
      'http://a',
      [],
      {},
      [{}],
    ]
    const made = Array.from({ length: 50 }, () => [
      makeAny(random, schema),
      makeAny(random, { ...schema, pattern: '^a+$' }),
    ])
    // The other validator takes characters that RFC 3986 does not have.
    const isUri = (value: unknown) => !/[^\w:/?#[\]@!$&'()*+,;=.~-]/.test(String(value))
    const texts = made.flat().filter(value => schema.format !== 'uri-reference' || isUri(value))
    for (const value of [...odd, ...texts, ...(schema.examples ?? [])]) {
      expect([value, findFaults(schema, value).length === 0]).toEqual([value, validate(value)])
    }
  })
})

/** A value that may break the schema. */
function makeAny(random: ReturnType<typeof createRandom>, schema: Schema): unknown {
  if (schema.pattern !== undefined) return makeString(random, { pattern: schema.pattern })
  return random.chance(0.5) ? makeValue(random, schema) : makeInvalid(random, schema)
}

test('the same seed makes the same values', () => {
  const make = (given: number) => {
    const random = createRandom(given, 'start')
    return Array.from({ length: 50 }, () => makeValue(random, operations[2]?.body?.schema ?? {}))
  }
  expect(make(1)).toEqual(make(1))
  expect(make(1)).not.toEqual(make(2))
})

test.each([
  ['^[a-c]{2,3}$', /^[a-c]{2,3}$/],
  ['^(ab|c)+x?$', /^(ab|c)+x?$/],
  ['^\\d{4}-\\w\\.\\u0041$', /^\d{4}-\w\.A$/],
  ['^(?!x)[^a-z]+$', /^[^a-z]+$/],
  ['^a{3}b{0,}$', /^a{3}b*$/],
  ['^\\S\\D\\W$', /^\S\D\W$/u],
  ['b', /b/],
])('texts are made from the pattern %s', (pattern, expected) => {
  const random = createRandom(seed, pattern)
  for (let i = 0; i < 100; i++) expect(makeString(random, { pattern })).toMatch(expected)
})

test.each(['a(?<name>b)', '[a', 'a{x}', '\\p{L}', '[\\S]', '*'])('the pattern %s is refused', pattern => {
  expect(() => makeString(createRandom(seed), { pattern })).toThrow('cannot read the pattern')
})

test('a schema that cannot be checked is refused', () => {
  const schema = { type: 'object', properties: { a: { type: 'number', multipleOf: 2 } } } as Schema
  expect(() => refuseUnknownKeywords(schema)).toThrow('The document has a schema with multipleOf.')
})
