import type { Operation, Parameter } from '../operations.ts'
import type { Random } from '../random.ts'
import { makeText } from '../schema/make-string.ts'
import { makeValue } from '../schema/make-value.ts'
import type { Ask, Session } from '../session.ts'
import { makeRange } from './dates.ts'
import type { GeneratedRequest } from './request.ts'

/** Makes a request that matches the document. */
export function makeValidRequest(random: Random, session: Session, operation: Operation): GeneratedRequest {
  const usesKnown = random.chance(0.7)
  const path = usesKnown ? {} : makePath(random, operation)
  const made = operation.body ? makeStart(random, session, operation) : makeRead(random, operation)
  return { operation, ask: { ...made.ask, path }, expected: usesKnown && made.isSure ? 'accepted' : 'documented' }
}

interface Made {
  ask: Ask
  /** Whether nothing can be wrong with it. */
  isSure: boolean
}

/** Makes ids that no server has. Any text is a valid id. */
function makePath(random: Random, { parameters }: Operation): Record<string, string> {
  const names = parameters.filter(parameter => parameter.in === 'path').map(({ name }) => name)
  return Object.fromEntries(
    names.map(name => {
      const text = makeText(random, 1, 60)
      // Clients and proxies remove these segments.
      return [name, encodeURIComponent(/^\.{1,2}$/.test(text) ? `x${text}` : text)]
    }),
  )
}

function makeRead(random: Random, operation: Operation): Made {
  const query = operation.parameters.filter(parameter => parameter.in === 'query')
  const mediaTypes = [...(operation.responses.get(200)?.content.keys() ?? [])]
  const accept = random.pick([...mediaTypes, '*/*'])
  const isJson = accept !== 'text/csv'
  const fitting = query.filter(parameter => isJson || parameter['x-media-type'] !== 'application/json')
  const chosen = fitting.filter(() => random.chance(0.5))
  const hasRealDates = random.chance(0.7)
  const [dateFrom, dateTo] = makeRange(random)
  const values = chosen.map(({ name, schema }): [string, string] => {
    if (hasRealDates && name === 'dateFrom') return [name, dateFrom]
    if (hasRealDates && name === 'dateTo') return [name, dateTo]
    return [name, String(makeValue(random, schema))]
  })
  const headers: Record<string, string> = { Accept: accept, ...makeHeaders(random, operation) }
  if (random.chance(0.1)) headers['Content-Type'] = random.pick(['application/json', 'text/plain'])
  return {
    ask: { query: values.map(([name, value]) => `${name}=${encode(random, value)}`).join('&'), headers },
    isSure: hasRealDates,
  }
}

/** Encodes a value. Clients often leave colons and plus signs as they are. */
function encode(random: Random, value: string): string {
  const encoded = encodeURIComponent(value)
  return random.chance(0.5) ? encoded : encoded.replaceAll('%3A', ':').replaceAll('%2B', '+').replaceAll('%20', '+')
}

function makeHeaders(random: Random, { parameters }: Operation): Record<string, string> {
  const headers = parameters.filter(parameter => parameter.in === 'header' && random.chance(0.3))
  return Object.fromEntries(headers.map(parameter => [parameter.name, makeHeader(random, parameter)]))
}

/** Headers of HTTP/1.1 have visible ASCII only, and no space at their ends. */
function makeHeader(random: Random, { schema, example }: Parameter): string {
  const text = String(makeValue(random, schema))
    .replaceAll(/[^ -~]/g, '')
    .trim()
  return text === '' ? String(example) : text
}

/**
 * Makes a start. So that few exports are started, most starts of the registered site repeat an `Idempotency-Key`, and the others
 * are for a site that no organization can have.
 */
function makeStart(random: Random, session: Session, { body }: Operation): Made {
  const made = makeValue(random, body?.schema ?? {}) as Record<string, unknown>
  const isRegistered = random.chance(0.6)
  const domain = isRegistered ? session.settings.domain : `kit-${random.int(0, 99_999)}.invalid`
  const key = `${session.nonce}-${random.int(1, Math.max(1, session.settings.maxStarts))}`
  const { features: _, ...others } = made
  const hasFeatures = isRegistered && random.chance(0.3)
  return {
    ask: {
      body: { ...(hasFeatures ? made : others), domain },
      ...(isRegistered && { headers: { 'Idempotency-Key': key } }),
    },
    isSure: isRegistered && !hasFeatures && session.known.domain,
  }
}
