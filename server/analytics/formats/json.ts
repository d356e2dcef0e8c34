import { findField, JsonLineParser } from './json-line.ts'
import { type LogFormat, LogFormatError } from './log-format.ts'

const required = ['time', 'method', 'path', 'status', 'userAgent', 'address'] as const
type FieldName = (typeof required)[number] | 'host'

/** Dotted path of each field of a request in a JSON object. */
export type JsonFields = Record<(typeof required)[number], string> & { host?: string }

/** Creates a format for JSON lines of any program from the paths of their fields. A client field is also a dotted path. */
export function createJsonFormat(fields: JsonFields): LogFormat {
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
        client: clientField === undefined ? undefined : findField(entry, clientField),
        host: fields.host === undefined ? undefined : findField(entry, fields.host),
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
      throw new LogFormatError(`${name} is unknown. The names are ${required.join(', ')} and host.`, 'json-fields')
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
  return name === 'host' || (required as readonly string[]).includes(name)
}
