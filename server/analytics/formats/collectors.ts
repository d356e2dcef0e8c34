import { createJsonDialect, findField, type JsonEntry } from './json-line.ts'

/** The values of an OTLP attribute in JSON: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */
const valueNames = ['stringValue', 'intValue', 'doubleValue', 'boolValue'] as const

/**
 * Log records of OTLP in JSON whose attributes describe a request, in the stable names of the semantic conventions and in the older
 * ones. A client field is the name of an attribute. https://opentelemetry.io/docs/specs/semconv/http/
 */
export const otlp = createJsonDialect({
  name: 'otlp',
  read(entry) {
    if (!isOtlpRecord(entry) || !Array.isArray(entry.attributes)) return undefined
    const attributes = readAttributes(entry.attributes)
    const find = (...names: string[]) => names.map(name => attributes.get(name)).find(value => value !== undefined)
    const method = find('http.request.method', 'http.method')
    if (method === undefined) return undefined
    const query = find('url.query')
    const path = find('url.path')
    return {
      time: isTime(entry.timeUnixNano) ? entry.timeUnixNano : entry.observedTimeUnixNano,
      method,
      target:
        path === undefined || query === undefined
          ? (path ?? find('url.full', 'http.target', 'http.url'))
          : `${path}?${query}`,
      status: find('http.response.status_code', 'http.status_code'),
      userAgent: find('user_agent.original', 'http.user_agent'),
      address: find('client.address', 'http.client_ip', 'network.peer.address', 'net.peer.ip'),
      host: find('server.address', 'http.host', 'net.host.name'),
      referrer: find('http.request.header.referer'),
      accept: find('http.request.header.accept'),
    }
  },
  findClient: (entry, name) => readAttributes(entry.attributes as unknown[]).get(name),
})

/** Returns whether an object is a log record of OTLP in JSON. */
export function isOtlpRecord({ timeUnixNano, observedTimeUnixNano }: JsonEntry): boolean {
  return timeUnixNano !== undefined || observedTimeUnixNano !== undefined
}

/** An unknown time is 0. */
function isTime(nanoseconds: unknown): boolean {
  return nanoseconds !== undefined && Number(nanoseconds) !== 0
}

function readAttributes(attributes: readonly unknown[]): Map<string, unknown> {
  const values = new Map<string, unknown>()
  for (const attribute of attributes) {
    const { key, value } = (attribute ?? {}) as { key?: unknown; value?: JsonEntry }
    if (typeof key === 'string') values.set(key, readValue(value))
  }
  return values
}

function readValue(value: JsonEntry | undefined): unknown {
  const name = valueNames.find(each => value?.[each] !== undefined)
  if (name) return value?.[name]
  // A header is a list. Its first value is used, as in other formats.
  const list = findField(value, 'arrayValue.values')
  return Array.isArray(list) ? readValue(list[0]) : undefined
}

/**
 * Records of Fluent Bit and Fluentd in the fields of their parsers for nginx and Apache. The time is `date`, which the HTTP output of
 * Fluent Bit adds. These parsers drop the host. A client field is the name of a field, such as `http_x_forwarded_for`.
 * https://docs.fluentd.org/parser/nginx
 */
export const fluentBit = createJsonDialect({
  name: 'fluent-bit',
  hasHost: false,
  read(entry) {
    if (entry.agent === undefined || entry.code === undefined) return undefined
    return {
      time: entry.date ?? entry.time ?? entry.timestamp,
      method: entry.method,
      target: entry.path,
      status: entry.code,
      userAgent: entry.agent,
      // The parsers for Apache call the address `host`.
      address: entry.remote ?? entry.host,
      referrer: entry.referer,
    }
  },
})

/**
 * Events of Vector in the fields of `parse_nginx_log` and `parse_apache_log`, which drop the host. A client field is a dotted path.
 * https://vector.dev/docs/reference/vrl/functions/#parse_nginx_log
 */
export const vector = createJsonDialect({
  name: 'vector',
  hasHost: false,
  read(entry) {
    if (entry.agent === undefined || entry.status === undefined || entry.timestamp === undefined) return undefined
    return {
      time: entry.timestamp,
      method: entry.method,
      target: entry.path,
      status: entry.status,
      userAgent: entry.agent,
      // `parse_apache_log` calls the address `host`.
      address: entry.client ?? entry.host,
      referrer: entry.referer ?? entry.referrer,
    }
  },
})
