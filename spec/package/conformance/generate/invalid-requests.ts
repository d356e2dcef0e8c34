import { baseRequest } from '../laws/base-requests.ts'
import type { Operation, Parameter } from '../operations.ts'
import type { Random } from '../random.ts'
import { makeInvalid } from '../schema/break-value.ts'
import { findFaults } from '../schema/check-value.ts'
import { makeText } from '../schema/make-string.ts'
import { makeValue } from '../schema/make-value.ts'
import { listTypes, type Schema } from '../schema/schema.ts'
import type { Ask, Session } from '../session.ts'
import type { GeneratedRequest } from './request.ts'

/** Makes a request that breaks the document in one place. Its ids and its site are ones that the server knows. */
export function makeInvalidRequest(random: Random, session: Session, operation: Operation): GeneratedRequest {
  const { how, ...ask } = random.pick(listBreakers(operation))(random, session, operation)
  return { operation, ask, expected: 'refused', how }
}

type Broken = Ask & { how: string }
type Breaker = (random: Random, session: Session, operation: Operation) => Broken

function listBreakers({ parameters, body }: Operation): Breaker[] {
  const inQuery = parameters.filter(parameter => parameter.in === 'query')
  const inHeader = parameters.filter(({ in: place, schema }) => place === 'header' && schema.pattern !== undefined)
  const inPath = parameters.filter(parameter => parameter.in === 'path')
  const bound = inQuery.filter(parameter => parameter['x-media-type'] !== undefined)
  return [
    addUnknownParameter,
    ...inQuery.flatMap(parameter => [breakQuery(parameter), breakQuery(parameter), repeatQuery(parameter)]),
    ...inHeader.map(breakHeader),
    ...inPath.map(breakEscape),
    ...bound.map(sendWithCsv),
    // Bodies have many more ways to be wrong.
    ...(body ? Array.from({ length: 8 }, () => breakBody) : []),
    ...(body ? [breakJson] : []),
  ]
}

const unknownNames = [
  'unknown',
  'page',
  'per_page',
  'Limit',
  'datefrom',
  'filter[a]',
  '__proto__',
  'constructor',
  'a.b',
]

const addUnknownParameter: Breaker = (random, session, operation) => {
  const known = operation.parameters.map(({ name }) => name)
  const invented = makeText(random, 1, 12)
  const name = random.pick([...unknownNames, known.includes(invented) ? 'unknown' : invented])
  const query = `${encodeURIComponent(name)}=${encodeURIComponent(makeText(random, 0, 10))}`
  const base = baseRequest(session, operation)
  const all = base.query ? `${base.query}&${query}` : query
  return { ...base, query: all, how: `the query parameter ${name} is not documented` }
}

function breakQuery({ name, schema }: Parameter): Breaker {
  return (random, session, operation) => {
    const value = listTypes(schema).includes('integer') ? breakInteger(random, schema) : breakText(random, schema)
    const query = `${name}=${encodeURIComponent(value)}`
    return { ...baseRequest(session, operation), query, how: `${name} is ${JSON.stringify(value.slice(0, 100))}` }
  }
}

function breakInteger(random: Random, { minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: Schema): string {
  const below = String(minimum - random.int(1, 1000))
  const above = String(BigInt(maximum) + BigInt(random.int(1, 1000)))
  const words = [
    '',
    'x',
    'ten',
    '1.5',
    '0.1',
    'NaN',
    'Infinity',
    'null',
    'true',
    '[]',
    '{}',
    '1,2',
    '1;2',
    '1 2',
    '--1',
  ]
  return random.pick([below, above, ...words, `${'9'.repeat(random.int(17, 300))}`, `${random.int(1, 50)}a`])
}

function breakText(random: Random, schema: Schema): string {
  const made = makeInvalid(random, schema)
  const text = typeof made === 'string' ? made : JSON.stringify(made)
  // Half of a character cannot be sent.
  return [text, 'kit'].find(each => findFaults(schema, each).length > 0 && isWellFormed(each)) ?? ''
}

function isWellFormed(text: string): boolean {
  try {
    encodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

function repeatQuery({ name, schema }: Parameter): Breaker {
  return (random, session, operation) => {
    const value = () => `${name}=${encodeURIComponent(String(makeValue(random, schema)))}`
    return { ...baseRequest(session, operation), query: `${value()}&${value()}`, how: `${name} is there twice` }
  }
}

function breakHeader({ name, schema }: Parameter): Breaker {
  const tooLong = 'a'.repeat((schema.maxLength ?? 255) + 1)
  return (random, session, operation) => {
    const value = random.pick([tooLong, `${tooLong}${tooLong}`, 'a b', 'a\tb', 'caf\u00e9'])
    return {
      ...baseRequest(session, operation),
      headers: { [name]: value },
      how: `${name} is ${JSON.stringify(value.slice(0, 40))}`,
    }
  }
}

function breakEscape({ name }: Parameter): Breaker {
  return (random, session, operation) => {
    const broken = random.pick(['%', '%ZZ', '%E0%A4%A', 'a%', '%C3%28', '%FF'])
    const base = baseRequest(session, operation)
    return { ...base, path: { ...base.path, [name]: broken }, how: `${name} has an invalid percent escape` }
  }
}

function sendWithCsv({ name, schema }: Parameter): Breaker {
  return (random, session, operation) => ({
    ...baseRequest(session, operation),
    query: `${name}=${makeValue(random, schema)}`,
    headers: { Accept: 'text/csv' },
    how: `${name} is sent with Accept: text/csv`,
  })
}

const breakBody: Breaker = (random, session, operation) => {
  const schema = operation.body?.schema ?? {}
  const made = makeInvalid(random, schema)
  // With the registered site, so that the start is refused for one reason only.
  const isObject = made !== null && typeof made === 'object' && !Array.isArray(made)
  const { domain } = (made ?? {}) as { domain?: unknown }
  const isDomainValid = findFaults(schema.properties?.domain ?? {}, domain).length === 0
  const body = isObject && domain !== undefined && isDomainValid ? { ...made, domain: session.settings.domain } : made
  const { path } = baseRequest(session, operation)
  return {
    ...(path && { path }),
    body: JSON.stringify(body),
    how: findFaults(schema, body)[0] ?? 'the body is invalid',
  }
}

const breakJson: Breaker = (random, session, operation) => {
  const valid = JSON.stringify({ domain: session.settings.domain })
  const body = random.pick([
    '',
    ' ',
    '{',
    valid.slice(0, -1),
    `${valid}}`,
    `${valid}${valid}`,
    valid.replaceAll('"', "'"),
    `{domain:${JSON.stringify(session.settings.domain)}}`,
    valid.replace('}', ',}'),
    'undefined',
    'NaN',
    `domain=${session.settings.domain}`,
    `${'['.repeat(1000)}${']'.repeat(1000)}`,
    '\u0000',
  ])
  const { path } = baseRequest(session, operation)
  return { ...(path && { path }), body, how: 'the body is not a JSON object' }
}
