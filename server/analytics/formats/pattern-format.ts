import { parseApachePattern } from './apache-pattern.ts'
import { createHaproxyFormat, isHaproxyFormat } from './haproxy.ts'
import { type LogFormat, LogFormatError } from './log-format.ts'
import { parseNginxPattern } from './nginx-pattern.ts'
import { checkPattern, type Pattern, type PatternElement, type PatternRole, type PatternVariable } from './pattern.ts'
import { findSlot, PatternParser, type PatternStep } from './pattern-parser.ts'
import { createTimeReader } from './pattern-time.ts'

/** Returns whether a setting is a pattern instead of the name of a format. */
export function isPattern(text: string): boolean {
  return /[$%]/.test(text) || isHaproxyFormat(text)
}

/**
 * Creates a format from the configuration of a web server: nginx's `log_format`, Apache's `LogFormat`, or the captured headers
 * of HAProxy (see `createHaproxyFormat`).
 *
 * @param timeZone of the dates of HAProxy; missing = UTC
 * @throws {LogFormatError} when something that is needed is missing, or the end of a variable cannot be found.
 */
export function createPatternFormat(text: string, timeZone?: string): LogFormat {
  if (isHaproxyFormat(text)) return createHaproxyFormat(text, timeZone)
  const pattern = /\$\{?\w/.test(text) ? parseNginxPattern(text) : parseApachePattern(text)
  checkPattern(pattern)
  for (const element of pattern.elements) {
    // A time in an unknown form is refused at once.
    if (typeof element !== 'string' && element.role === 'time') createTimeReader(element.time ?? '')
  }
  return {
    name: pattern.server,
    hasHost: pattern.elements.some(element => typeof element !== 'string' && element.role === 'host'),
    open: ({ clientField }) => {
      const used = chooseVariables(pattern.elements, clientField)
      const mayHaveHostname = [...used].some(([variable, role]) => role === 'address' && variable.mayBeHostname)
      const steps = compile(pattern, used, clientField)
      return new PatternParser(steps, { escape: pattern.escape, mayHaveHostname })
    },
  }
}

function compile(
  { server, elements }: Pattern,
  used: ReadonlyMap<PatternVariable, PatternRole>,
  clientField: string | undefined,
): PatternStep[] {
  const readers = elements.map(element =>
    typeof element !== 'string' && element.role === 'time' ? createTimeReader(element.time ?? '') : undefined,
  )
  const hasAddress = [...used.values()].includes('address')
  if (!hasAddress && clientField === undefined) {
    throw new LogFormatError(
      `lacks the address: log also ${server === 'nginx' ? '$remote_addr' : '%a'}, or name the header with the client in --client-field.`,
      'format',
    )
  }
  return elements.map((element, index): PatternStep => {
    if (typeof element === 'string') return { kind: 'text', text: Buffer.from(element) }
    const read = readers[index]
    if (read) return { kind: 'time', read }
    const until = elements[index + 1]
    const role = used.get(element) ?? 'ignored'
    const nextRead = readers[index + 2]
    const nextText = elements[index + 3]
    return {
      kind: 'value',
      slot: findSlot(role),
      until: Buffer.from(typeof until === 'string' ? until : ''),
      isBeforePath: typeof until === 'object',
      next: nextRead && { read: nextRead, text: Buffer.from(typeof nextText === 'string' ? nextText : '') },
      isList: element.header === 'x-forwarded-for',
    }
  })
}

/** Returns the role of each variable that is used: the first by rank of each role, the client field, and X-Forwarded-For. */
function chooseVariables(
  elements: readonly PatternElement[],
  clientField: string | undefined,
): Map<PatternVariable, PatternRole> {
  const used = new Map<PatternVariable, PatternRole>()
  const variables = elements.filter(element => typeof element !== 'string')
  for (const variable of [...variables].sort((a, b) => a.rank - b.rank)) {
    const { role } = variable
    const isNeeded = role !== 'ignored' && role !== 'time' && ![...used.values()].includes(role)
    const isInRequest = (role === 'method' || role === 'target') && variables.some(({ role }) => role === 'request')
    if (isNeeded && !isInRequest) used.set(variable, role)
  }
  if (clientField !== undefined) used.set(findClientVariable(variables, clientField), 'client')
  const forwarded = variables.find(({ header }) => header === 'x-forwarded-for')
  if (forwarded && !used.has(forwarded)) used.set(forwarded, 'forwarded')
  return used
}

function findClientVariable(variables: readonly PatternVariable[], clientField: string): PatternVariable {
  const name = clientField.toLowerCase()
  const found = variables.find(
    ({ text, header }) => header === name || text.toLowerCase() === name || text.slice(1) === name,
  )
  if (found) return found
  const names = variables.flatMap(({ header }) => header ?? [])
  throw new LogFormatError(
    `${clientField} is not in --format. ${names.length > 0 ? `The headers in it are ${names.join(', ')}.` : 'It has no request header.'}`,
    'client-field',
  )
}
