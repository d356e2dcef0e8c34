import { findField, JsonLineParser } from './json-line.ts'
import { type LogFormat, LogFormatError } from './log-format.ts'

const required = ['time', 'method', 'path', 'status', 'userAgent', 'address'] as const
const optional = ['host', 'referrer', 'accept'] as const
type FieldName = (typeof required)[number] | (typeof optional)[number]

/** Dotted path of each field of a request in a JSON object. */
export type JsonFields = Record<(typeof required)[number], string> & { [name in (typeof optional)[number]]?: string }

/** Creates a format for JSON lines of any program from the paths of their fields. A client field is also a dotted path. */
export function createJsonFormat(fields: JsonFields): LogFormat {
  return {
    name: 'json',
    hasHost: fields.host !== undefined,
    open: ({ clientField }) => new JsonFieldsParser(fields, clientField),
  }
}

/** Lines without an optional field that is given, from which the field is missing. */
const linesWithoutOptional = 1000

/** Parses JSON lines by the paths of their fields, and remembers which fields were found. */
class JsonFieldsParser extends JsonLineParser {
  readonly #fields: JsonFields
  readonly #found: Set<FieldName>
  readonly #entries: { count: number }

  constructor(fields: JsonFields, clientField: string | undefined) {
    const found = new Set<FieldName>()
    const entries = { count: 0 }
    const find = (entry: unknown, name: FieldName) => {
      const path = fields[name]
      const value = path === undefined ? undefined : findField(entry, path)
      if (value !== undefined) found.add(name)
      return value
    }
    super(entry => {
      entries.count++
      return {
        time: find(entry, 'time'),
        method: find(entry, 'method'),
        target: find(entry, 'path'),
        status: find(entry, 'status'),
        userAgent: find(entry, 'userAgent'),
        address: find(entry, 'address'),
        client: clientField === undefined ? undefined : findField(entry, clientField),
        host: find(entry, 'host'),
        referrer: find(entry, 'referrer'),
        accept: find(entry, 'accept'),
      }
    }, findField)
    this.#fields = fields
    this.#found = found
    this.#entries = entries
  }

  /**
   * Empty when no line was an object, because then the format is wrong and not a field. A program may omit the optional fields
   * of a request, so they are missing only if many requests have none.
   */
  override missingFields(): readonly string[] {
    const { count } = this.#entries
    const isGiven = (name: FieldName) => this.#fields[name] !== undefined
    const omittable = count >= linesWithoutOptional ? (['referrer', 'accept'] as const) : []
    const expected = [...required, 'host' as const, ...omittable].filter(isGiven)
    const missing = count > 0 ? expected.filter(name => !this.#found.has(name)) : []
    return missing.map(name => `${this.#fields[name]} (${name})`)
  }
}

/**
 * Parses `time=ts,method=req.method,path=req.url,status=res.status,userAgent=req.ua,address=ip,host=vhost`.
 *
 * @throws {LogFormatError} when a name is unknown, repeated or missing.
 */
export function parseJsonFields(text: string): JsonFields {
  const fields: Partial<Record<FieldName, string>> = {}
  for (const part of text.split(',')) {
    const [, name, path] = /^\s*(\w+)=(\S+)\s*$/.exec(part) ?? []
    if (name === undefined || path === undefined) {
      throw new LogFormatError(`${part}: write NAME=PATH, as in path=req.url.`, 'json-fields')
    }
    if (!isFieldName(name)) {
      throw new LogFormatError(
        `${name} is unknown. The names are ${[...required, ...optional].join(', ')}.`,
        'json-fields',
      )
    }
    if (fields[name] !== undefined) throw new LogFormatError(`${name} is given twice.`, 'json-fields')
    fields[name] = path
  }
  const missing = required.filter(name => fields[name] === undefined)
  if (missing.length > 0)
    throw new LogFormatError(`lacks ${missing.join(', ')}: add ${missing[0]}=PATH.`, 'json-fields')
  return fields as JsonFields
}

function isFieldName(name: string): name is FieldName {
  return [...required, ...optional].includes(name as FieldName)
}
