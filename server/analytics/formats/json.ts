import { findField, JsonLineParser } from './json-line.ts'
import { type LogFormat, LogFormatError } from './log-format.ts'

const required = ['time', 'method', 'path', 'status', 'userAgent', 'address'] as const
const optional = ['host', 'referrer', 'accept'] as const
type FieldName = (typeof required)[number] | (typeof optional)[number]

/** Dotted path of each field of a request in a JSON object. */
export type JsonFields = Record<(typeof required)[number], string> & { [name in (typeof optional)[number]]?: string }

/** Creates a format for JSON lines of any program from the paths of their fields. A client field is also a dotted path. */
export function createJsonFormat(fields: JsonFields): LogFormat {
  const findOptional = (entry: unknown, path: string | undefined) =>
    path === undefined ? undefined : findField(entry, path)
  return {
    name: 'json',
    hasHost: fields.host !== undefined,
    open: ({ clientField }) =>
      new JsonLineParser(entry => ({
        time: findField(entry, fields.time),
        method: findField(entry, fields.method),
        target: findField(entry, fields.path),
        status: findField(entry, fields.status),
        userAgent: findField(entry, fields.userAgent),
        address: findField(entry, fields.address),
        client: findOptional(entry, clientField),
        host: findOptional(entry, fields.host),
        referrer: findOptional(entry, fields.referrer),
        accept: findOptional(entry, fields.accept),
      })),
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
